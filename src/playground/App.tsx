import { Effect, Exit } from "effect"
import { useEffect, useState } from "preact/hooks"
import { type Address, type Connection, connect, remember, remembered } from "./Connection.ts"
import { ConnectForm } from "./ConnectForm.tsx"
import { failureOf, type Problem } from "./chat/Problem.ts"
import { Workbench } from "./Workbench.tsx"

/** The page: which server, and all that can be done with it. */
export const App = () => {
  const [address, setAddress] = useState(remembered)
  const [connection, setConnection] = useState<Connection>()
  const [problem, setProblem] = useState<Problem>()
  const [isConnecting, setConnecting] = useState(true)

  useEffect(() => {
    setConnection(undefined)
    setProblem(undefined)
    setConnecting(true)
    return Effect.runCallback(connect(address), {
      onExit: (exit) => {
        if (Exit.hasInterrupts(exit)) return
        setConnecting(false)
        if (Exit.isFailure(exit)) return setProblem(failureOf(exit.cause))
        remember(address)
        setConnection(exit.value)
      }
    })
  }, [address])

  const form = (
    <ConnectForm
      address={address}
      isConnecting={isConnecting}
      problem={problem}
      isConnected={connection !== undefined}
      onConnect={(next: Address) => setAddress({ ...next })}
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
