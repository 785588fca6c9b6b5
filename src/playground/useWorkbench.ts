import { Effect } from "effect"
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks"
import type { AgentError } from "../client/AgentError.ts"
import type { SessionId, SessionInfo } from "../protocol/Session.ts"
import type { StreamMode } from "../protocol/Turn.ts"
import type { Connection } from "./Connection.ts"
import * as Chat from "./chat/Chat.ts"
import type { Attachment } from "./chat/Attachment.ts"
import * as ChatRunner from "./chat/ChatRunner.ts"
import * as Frames from "./chat/Frames.ts"
import * as OpenSession from "./sessions/OpenSession.ts"
import * as KeptTools from "./setup/KeptTools.ts"
import * as PageTool from "./setup/PageTool.ts"
import * as Setup from "./setup/Setup.ts"

/** The state of a workbench: the agent as it is set up, the page's tools, the session and its chat; and what changes it. */
export const useWorkbench = ({ address: { baseUrl }, client, meta: { agents } }: Connection) => {
  const [agentName, setAgentName] = useState(agents[0]?.name ?? "")
  const [setup, setSetup] = useState(Setup.defaults)
  const [kept, setKept] = useState<ReadonlyArray<string>>([])
  const [wantedMode, setWantedMode] = useState<StreamMode>("delta")
  const [tools, setTools] = useState(() => KeptTools.load(sessionStorage))
  const [sessionId, setSessionId] = useState<SessionId>()
  const [chat, dispatch] = useReducer(Chat.reduce, Chat.empty)
  const runner = useMemo(() => {
    const opened = (id: SessionId) => {
      OpenSession.remember(sessionStorage, baseUrl, id)
      setSessionId(id)
    }
    return ChatRunner.make(client, Frames.batched(dispatch, Frames.nextFrame), opened)
  }, [client])

  // A session is read for a while: what was chosen meanwhile holds.
  const latest = useRef({ tools, wantedMode })
  latest.current = { tools, wantedMode }

  const agentOf = (name: string) => agents.find((agent) => agent.name === name)
  const agent = agentOf(agentName)
  const modesOf = (name: string) => Setup.streamModes(agentOf(name)?.capabilities)
  const modeOf = (name: string): StreamMode => {
    const modes = modesOf(name)
    return modes.find((mode) => mode === latest.current.wantedMode) ?? modes[0] ?? latest.current.wantedMode
  }

  const chooseAgent = (name: string) => {
    setAgentName(name)
    setSetup(Setup.defaults)
  }

  const leave = () => {
    OpenSession.forget(sessionStorage)
    runner.leave()
    setSessionId(undefined)
    setKept([])
    if (agent === undefined) return chooseAgent(agents[0]?.name ?? "")
    const options = Object.entries(setup.options).filter(([name]) => !kept.includes(name))
    setSetup({ ...setup, options: Object.fromEntries(options) })
  }

  /** The panel shows a session as it is set up, not as the one before was. */
  const prepare = ({ agent: { name, ...config }, tools: specs = [] }: SessionInfo): ChatRunner.Resumption => {
    const adopted = PageTool.adopt(specs, latest.current.tools)
    const takeOver = () => {
      const taken = Setup.fromConfig({ name, ...config })
      setAgentName(name)
      setSetup(taken)
      setKept(Object.keys(taken.options).filter((name) => taken.options[name] === Setup.kept))
      setTools(adopted)
    }
    return { tools: adopted, stream: modeOf(name), isReadOnly: agentOf(name) === undefined, takeOver }
  }

  const goOn = (found: Effect.Effect<SessionInfo, AgentError>) => runner.resume(found, prepare)

  useEffect(() => {
    const id = OpenSession.remembered(sessionStorage, baseUrl)
    if (id !== undefined) goOn(client.session(id))
    return runner.stop
  }, [runner])

  useEffect(() => KeptTools.save(sessionStorage, tools), [tools])

  useEffect(() => {
    if (Chat.isGone(chat)) OpenSession.forget(sessionStorage)
  }, [chat.entries])

  return {
    agent,
    /** Why nothing can be said, where that is so. */
    missing:
      agents.length === 0
        ? "This server has no agents."
        : `The server no longer has the agent ${agentName}; its session can be read, but not gone on with.`,
    setup,
    kept,
    tools,
    chat,
    runner,
    sessionId,
    modes: modesOf(agentName),
    mode: modeOf(agentName),
    setSetup,
    setTools,
    setMode: setWantedMode,
    chooseAgent,
    leave,
    resume: (info: SessionInfo) => goOn(Effect.succeed(info)),
    say: (text: string, images: ReadonlyArray<Attachment>) => {
      if (agent !== undefined) runner.say(text, agent, setup, tools, modeOf(agentName), images)
    }
  }
}
