import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Connection } from "./Connection.ts"
import { ChatPanel } from "./chat/ChatPanel.tsx"
import { Inspector } from "./sessions/Inspector.tsx"
import * as OpenSession from "./sessions/OpenSession.ts"
import { SessionList } from "./sessions/SessionList.tsx"
import { AgentSetup } from "./setup/AgentSetup.tsx"
import { ClientTools } from "./setup/ClientTools.tsx"
import { StreamField } from "./setup/StreamField.tsx"
import { Tabs, type View } from "./Tabs.tsx"
import { useWorkbench } from "./useWorkbench.ts"

interface Props {
  readonly connection: Connection
  readonly connectForm: ComponentChildren
}

/** Who goes on with a session is taken to its chat. */
const useView = (baseUrl: string) => {
  const isGoingOn = () => OpenSession.remembered(sessionStorage, baseUrl) !== undefined
  const [view, setView] = useState<View>(() => (isGoingOn() ? "chat" : "setup"))
  const [entered, setEntered] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  // A panel that is not shown yet takes no focus.
  useEffect(() => {
    if (entered > 0) heading.current?.focus()
  }, [entered])
  const enterChat = () => {
    setView("chat")
    setEntered(entered + 1)
  }
  return { view, setView, heading, enterChat }
}

/** All that can be done with a server: set an agent up, chat, and look at what happens. */
export const Workbench = ({ connection, connectForm }: Props) => {
  const { address, client, meta } = connection
  const { enterChat, heading, setView, view } = useView(address.baseUrl)
  const bench = useWorkbench(connection)
  const { agent, chat, sessionId, tools } = bench

  // The form that connected is gone, and the focus with it.
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  return (
    <main class="workbench" data-view={view}>
      <header>
        <h1 tabIndex={-1} ref={title}>
          Playground
        </h1>
        <Tabs view={view} onChange={setView} />
      </header>
      <section class="panel setup" aria-label="Setup">
        <h2 class="unseen">Setup</h2>
        <details open>
          <summary>Connection</summary>
          {connectForm}
        </details>
        <details open>
          <summary>Agent</summary>
          <AgentSetup
            agents={meta.agents}
            agent={agent}
            missing={bench.missing}
            setup={bench.setup}
            isTaken={sessionId !== undefined}
            kept={bench.kept}
            onAgent={bench.chooseAgent}
            onSetup={bench.setSetup}
          />
          <StreamField modes={bench.modes} mode={bench.mode} onChange={bench.setMode} />
        </details>
        <details>
          <summary>Tools of this page ({tools.length})</summary>
          <ClientTools
            tools={tools}
            taken={(agent?.tools ?? []).map(({ name }) => name)}
            isSupported={agent?.capabilities?.application?.tools !== undefined}
            onChange={bench.setTools}
          />
        </details>
        <details open>
          <summary>Sessions</summary>
          <SessionList
            client={client}
            current={sessionId}
            onResume={(info) => {
              bench.resume(info)
              enterChat()
            }}
            onDeleted={(id) => {
              if (id === sessionId) bench.leave()
            }}
          />
        </details>
      </section>
      <ChatPanel
        chat={chat}
        sessionId={sessionId}
        runner={bench.runner}
        blocked={agent === undefined ? bench.missing : undefined}
        heading={heading}
        onNew={bench.leave}
        takesImages={agent?.capabilities?.image?.data !== undefined}
        onSay={bench.say}
      />
      <Inspector client={client} chat={chat} sessionId={sessionId} />
    </main>
  )
}
