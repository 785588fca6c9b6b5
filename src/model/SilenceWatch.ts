import { type Cause, Clock, Duration, Effect, Exit, Scope } from "effect"
import { ModelError } from "./ModelError.ts"

/** How long a model server may send nothing. */
export interface Patience {
  /** Before the first byte of an answer. */
  readonly firstByte: Duration.Duration
  /** Between two bytes of it. */
  readonly idle: Duration.Duration
}

/** What is known of the answer that is waited for over one connection. */
export interface Watched {
  readonly connection: Scope.Closeable
  begun: boolean
  /** Since when somebody waits for the server, in milliseconds. */
  waitingSince: number | undefined
  saidAt: number
  /** Why the connection was closed. */
  expired: ModelError | undefined
}

/** Watches the connections to a model server. */
export interface SilenceWatch {
  /** Watches a connection until its scope ends. Somebody waits for its first byte. */
  readonly begin: (connection: Scope.Closeable) => Effect.Effect<Watched>
  /** Somebody waits for the server. */
  readonly wait: (watched: Watched) => void
  /** The server has sent something. */
  readonly hear: (watched: Watched) => void
  /** Notes whether what was heard says anything; the error of an answer that says nothing for far too long. */
  readonly weigh: (watched: Watched, says: boolean) => ModelError | undefined
}

/** How many times the idle timeout an answer may go on with comments alone. */
const commentPatience = 10

const silent = (what: string, limit: Duration.Duration) =>
  new ModelError({
    reason: "timeout",
    message: `the model server sent ${what} for ${Duration.format(limit)}`,
    retryable: true
  })

/**
 * Closes each connection whose server has sent nothing for too long. Time counts only while somebody waits for the server, so
 * that a slow reader is never taken for a silent model. One fiber watches all connections: it sleeps for as long as none can
 * be due, whatever begins meanwhile.
 */
export const make = Effect.fnUntraced(function* ({ firstByte, idle }: Patience) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const comments = Duration.times(idle, commentPatience)
  const shortest = Duration.min(firstByte, idle)
  const open = new Set<Watched>()

  const left = ({ begun, waitingSince }: Watched): number =>
    waitingSince === undefined
      ? Number.POSITIVE_INFINITY
      : Duration.toMillis(begun ? idle : firstByte) - (now() - waitingSince)

  const expire = (watched: Watched): Effect.Effect<void> => {
    watched.expired = watched.begun ? silent("nothing more", idle) : silent("nothing", firstByte)
    open.delete(watched)
    return Scope.close(watched.connection, Exit.void)
  }

  const round = Effect.suspend(() => {
    const due = [...open].filter((watched) => left(watched) <= 0)
    return Effect.forEach(due, expire, { discard: true })
  })
  const failed = (cause: Cause.Cause<unknown>) => Effect.logError("connections to a model could not be watched", cause)
  const pause = Effect.suspend(() => {
    let millis = Duration.toMillis(shortest)
    for (const watched of open) millis = Math.min(millis, left(watched))
    return Effect.sleep(Math.max(1, millis))
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, Effect.catchCause(round, failed))))

  const watch: SilenceWatch = {
    begin: (connection) => {
      const watched: Watched = { connection, begun: false, waitingSince: now(), saidAt: now(), expired: undefined }
      open.add(watched)
      return Effect.as(
        Scope.addFinalizer(
          connection,
          Effect.sync(() => open.delete(watched))
        ),
        watched
      )
    },
    wait: (watched) => {
      watched.waitingSince = now()
    },
    hear: (watched) => {
      watched.begun = true
      watched.waitingSince = undefined
    },
    weigh: (watched, says) => {
      if (says) watched.saidAt = now()
      return now() - watched.saidAt > Duration.toMillis(comments) ? silent("nothing but comments", comments) : undefined
    }
  }
  return watch
})
