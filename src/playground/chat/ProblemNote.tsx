import { jsonBlock, onOneLine, undirected } from "../../client/Printable.ts"
import type { Problem } from "./Problem.ts"

/** The server's own status and code; a page is told no status of a redirect. */
const codeOf = ({ code = "", status }: Problem): string => (status ? onOneLine(`${status} ${code}`) : "")

/** An error as what it is. */
export const ProblemNote = ({ problem }: { readonly problem: Problem }) => {
  const told = codeOf(problem)
  return (
    <div class="problem" role="alert">
      <strong>
        {problem.title}
        {told === "" ? "" : ` (${told})`}
      </strong>
      <p>{undirected(problem.message)}</p>
      {problem.details === undefined ? null : <pre>{jsonBlock(problem.details)}</pre>}
    </div>
  )
}
