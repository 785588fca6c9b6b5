import type { Problem } from "./Problem.ts"

/** An error as what it is. */
export const ProblemNote = ({ problem }: { readonly problem: Problem }) => (
  <div class="problem" role="alert">
    <strong>
      {problem.title}
      {problem.status === undefined ? "" : ` (${problem.status} ${problem.code})`}
    </strong>
    <p>{problem.message}</p>
    {problem.details === undefined ? null : <pre>{JSON.stringify(problem.details, null, 2)}</pre>}
  </div>
)
