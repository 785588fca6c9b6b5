import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks"
import type { ComponentChildren } from "preact"
import type { AgentInfo } from "../protocol/Agent.ts"
import type { StreamMode } from "../protocol/Turn.ts"
import type { SessionId, SessionInfo } from "../protocol/Session.ts"
import type { Connection } from "./Connection.ts"
import * as Chat from "./chat/Chat.ts"
import { ChatPanel } from "./chat/ChatPanel.tsx"
import * as ChatRunner from "./chat/ChatRunner.ts"
import * as Frames from "./chat/Frames.ts"
import { Inspector } from "./sessions/Inspector.tsx"
import { SessionList } from "./sessions/SessionList.tsx"
import { AgentSetup } from "./setup/AgentSetup.tsx"
import { ClientTools } from "./setup/ClientTools.tsx"
import * as PageTool from "./setup/PageTool.ts"
import * as Setup from "./setup/Setup.ts"
import { StreamField } from "./setup/StreamField.tsx"
import { Tabs, type View } from "./Tabs.tsx"

interface Props {
  readonly connection: Connection
  readonly connectForm: ComponentChildren
}

/** All that can be done with a server: set an agent up, chat, and look at what happens. */
export const Workbench = ({ connection, connectForm }: Props) => {
  const { client, meta } = connection
  const [view, setView] = useState<View>("setup")
  const [agentName, setAgentName] = useState(meta.agents[0]?.name ?? "")
  const [setup, setSetup] = useState(Setup.defaults)
  const [kept, setKept] = useState<ReadonlyArray<string>>([])
  const [wantedMode, setWantedMode] = useState<StreamMode>("delta")
  const [tools, setTools] = useState<ReadonlyArray<PageTool.PageTool>>([])
  const [sessionId, setSessionId] = useState<SessionId>()
  const [chat, dispatch] = useReducer(Chat.reduce, Chat.empty)
  const runner = useMemo(
    () => ChatRunner.make(client, Frames.batched(dispatch, Frames.nextFrame), setSessionId),
    [client]
  )
  const agent = meta.agents.find(({ name }) => name === agentName)

  const modeOf = (agent: AgentInfo | undefined): StreamMode => {
    const modes = Setup.streamModes(agent?.capabilities)
    return modes.find((mode) => mode === wantedMode) ?? modes[0] ?? wantedMode
  }

  // The form that connected is gone, and the focus with it.
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  useEffect(() => runner.stop, [runner])

  const leave = () => {
    runner.leave()
    setSessionId(undefined)
    setKept([])
    const options = Object.entries(setup.options).filter(([name]) => !kept.includes(name))
    setSetup({ ...setup, options: Object.fromEntries(options) })
  }

  /** The panel shows a session as it is set up, not as the one before was. */
  const takeOver = ({ agent }: SessionInfo) => {
    const taken = Setup.fromConfig(agent)
    setAgentName(agent.name)
    setSetup(taken)
    setKept(Object.keys(taken.options).filter((name) => taken.options[name] === Setup.kept))
  }

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
            setup={setup}
            isTaken={sessionId !== undefined}
            kept={kept}
            onAgent={(name) => {
              setAgentName(name)
              setSetup(Setup.defaults)
            }}
            onSetup={setSetup}
          />
          <StreamField modes={Setup.streamModes(agent?.capabilities)} mode={modeOf(agent)} onChange={setWantedMode} />
        </details>
        <details>
          <summary>Tools of this page ({tools.length})</summary>
          <ClientTools
            tools={tools}
            taken={(agent?.tools ?? []).map(({ name }) => name)}
            isSupported={agent?.capabilities?.application?.tools !== undefined}
            onChange={setTools}
          />
        </details>
        <details open>
          <summary>Sessions</summary>
          <SessionList
            client={client}
            current={sessionId}
            onResume={(info) => {
              leave()
              takeOver(info)
              const adopted = PageTool.adopt(info.tools ?? [], tools)
              setTools(adopted)
              runner.resume(info, adopted, modeOf(meta.agents.find(({ name }) => name === info.agent.name)))
              setView("chat")
            }}
            onDeleted={(id) => {
              if (id === sessionId) leave()
            }}
          />
        </details>
      </section>
      <ChatPanel
        chat={chat}
        sessionId={sessionId}
        runner={runner}
        onNew={leave}
        takesImages={agent?.capabilities?.image?.data !== undefined}
        onSay={(text, images) => {
          if (agent === undefined) return
          runner.say(text, agent, setup, tools, modeOf(agent), images)
        }}
      />
      <Inspector client={client} chat={chat} sessionId={sessionId} />
    </main>
  )
}
