import { Effect, Exit } from "effect"
import { useLayoutEffect, useState } from "preact/hooks"
import { type Address, type Connection, connect, remember, remembered } from "./Connection.ts"
import { ConnectForm, type Draft } from "./ConnectForm.tsx"
import { failureOf, type Problem } from "./chat/Problem.ts"
import { Workbench } from "./Workbench.tsx"

/** The page: which server, and all that can be done with it. A server that cannot be reached takes nothing away. */
export const App = () => {
  const [wanted, setWanted] = useState(remembered)
  const [draft, setDraft] = useState<Draft>({ baseUrl: wanted.baseUrl })
  const [connection, setConnection] = useState<Connection>()
  const [problem, setProblem] = useState<Problem>()
  const [isConnecting, setConnecting] = useState(true)

  // As part of drawing: nothing comes of an attempt that another has taken the place of.
  useLayoutEffect(
    () =>
      Effect.runCallback(connect(wanted), {
        onExit: (exit) => {
          if (Exit.hasInterrupts(exit)) return
          setConnecting(false)
          if (Exit.isFailure(exit)) return setProblem(failureOf(exit.cause))
          remember(wanted)
          setConnection(exit.value)
        }
      }),
    [wanted]
  )

  const form = (
    <ConnectForm
      address={wanted}
      draft={draft}
      onDraft={setDraft}
      connected={connection?.address.baseUrl}
      isConnecting={isConnecting}
      problem={problem}
      onConnect={(next: Address) => {
        setProblem(undefined)
        setConnecting(true)
        setDraft({ baseUrl: next.baseUrl })
        setWanted({ ...next })
      }}
    />
  )
  return connection === undefined ? (
    <main class="alone">
      <h1>Playground</h1>
      {form}
    </main>
  ) : (
    <Workbench key={connection} connection={connection} connectForm={form} />
  )
}
