import type { RefObject } from "preact"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { ScrollRegion } from "../ScrollRegion.tsx"
import { onOneLine } from "../../client/Printable.ts"
import type { SessionId } from "../../protocol/Session.ts"
import type { Attachment } from "./Attachment.ts"
import type { Chat } from "./Chat.ts"
import type { ChatRunner } from "./ChatRunner.ts"
import { Composer } from "./Composer.tsx"
import { EntryList } from "./EntryList.tsx"

interface Props {
  readonly chat: Chat
  readonly sessionId: SessionId | undefined
  readonly runner: ChatRunner
  /** Why nothing can be said. */
  readonly blocked: string | undefined
  readonly heading: RefObject<HTMLHeadingElement | null>
  readonly onNew: () => void
  readonly takesImages: boolean
  readonly onSay: (text: string, images: ReadonlyArray<Attachment>) => void
}

/** How near the end of the chat its reader must be to be taken along, in pixels. */
const nearEnd = 120

/** Keeps the end in sight for who was reading there; `follow` goes there from anywhere. */
const useFollow = (chat: Chat) => {
  const log = useRef<HTMLElement>(null)
  const isFollowing = useRef(true)
  const top = useRef(0)
  useLayoutEffect(() => {
    if (log.current !== null && isFollowing.current) log.current.scrollTop = log.current.scrollHeight
  }, [chat.entries])
  const onScroll = () => {
    const { current } = log
    if (current === null) return
    // The log grows before it is told of a scroll: only who goes up leaves the end.
    const isNear = current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd
    if (isNear) isFollowing.current = true
    else if (current.scrollTop < top.current) isFollowing.current = false
    top.current = current.scrollTop
  }
  const follow = () => {
    isFollowing.current = true
  }
  return { log, onScroll, follow }
}

/** The chat: what was said, what waits for the user, and where the user speaks. */
export const ChatPanel = ({ blocked, chat, heading, onNew, onSay, runner, sessionId, takesImages }: Props) => {
  const { follow, log, onScroll } = useFollow(chat)
  const field = useRef<HTMLTextAreaElement>(null)
  const { onAnswer, onPermit } = useMemo(() => {
    /** The form goes with the answer: who is on the keyboard goes on in the conversation. */
    const settle =
      <A,>(tell: (toolCallId: string, answer: A) => void) =>
      (toolCallId: string, answer: A) => {
        log.current?.focus()
        tell(toolCallId, answer)
      }
    return { onPermit: settle(runner.permit), onAnswer: settle(runner.answer) }
  }, [runner, log])
  return (
    <section class="panel chat" aria-label="Chat">
      <h2 class="unseen" tabIndex={-1} ref={heading}>
        Chat
      </h2>
      <div class="bar">
        <span class="session">{sessionId === undefined ? "No session yet" : <code>{onOneLine(sessionId)}</code>}</span>
        <button
          type="button"
          disabled={sessionId === undefined}
          onClick={() => {
            field.current?.focus()
            onNew()
          }}
        >
          New session
        </button>
      </div>
      <ScrollRegion kind="log" label="Conversation" region={log} onScroll={onScroll}>
        {chat.entries.length === 0 ? <p class="hint">Say something to begin, such as “help”.</p> : null}
        <EntryList entries={chat.entries} onPermit={onPermit} onAnswer={onAnswer} />
      </ScrollRegion>
      <p class="unseen" role="status" aria-live="polite">
        {chat.spoken}
      </p>
      <Composer
        isRunning={chat.isRunning}
        returned={chat.returned}
        blocked={blocked}
        takesImages={takesImages}
        field={field}
        onSay={(text, images) => {
          follow()
          onSay(text, images)
        }}
        onStop={runner.stop}
      />
    </section>
  )
}
