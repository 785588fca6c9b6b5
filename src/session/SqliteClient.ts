import { Effect, Layer, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

/** How many prepared statements a connection keeps. The store has about a dozen. */
const statementCacheSize = 100

/** Where the database is, and how long a statement waits for another process's lock, in milliseconds. */
export interface SqliteOptions {
  /** A file's path, or `:memory:`. Missing folders are made. */
  readonly filename: string
  readonly busyTimeout?: number
}

const failure = (cause: unknown, operation: string) =>
  new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message: String(cause), operation }) })

/**
 * A new file is its owner's alone. WAL, so that readers never wait, and a sync of the disk at each commit, so that what was acknowledged survives a loss
 * of power and not only of the process.
 */
const open = ({ busyTimeout = 5000, filename }: SqliteOptions): DatabaseSync => {
  if (filename !== ":memory:") {
    mkdirSync(dirname(filename), { recursive: true })
    closeSync(openSync(filename, "a", 0o600))
  }
  const database = new DatabaseSync(filename, { timeout: busyTimeout, enableForeignKeyConstraints: true })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  return database
}

const isInput = (value: unknown): value is SQLInputValue =>
  value === null ||
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "bigint" ||
  ArrayBuffer.isView(value)

const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0
  return isInput(value) ? value : null
}

const makeConnection = (database: DatabaseSync): SqlConnection.Connection => {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const [oldest] = statements.keys()
    if (statements.size >= statementCacheSize && oldest !== undefined) statements.delete(oldest)
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const run = <A>(statement: () => StatementSync, params: ReadonlyArray<unknown>, use: (rows: Array<object>) => A) =>
    Effect.try({
      try: () => use(statement().all(...params.map(toInput))),
      catch: (cause) => failure(cause, "execute")
    })
  const values = (rows: ReadonlyArray<object>): ReadonlyArray<ReadonlyArray<unknown>> =>
    rows.map((row) => Object.values(row))
  return {
    execute: (sql, params, transform) =>
      run(
        () => prepared(sql),
        params,
        (rows) => transform?.(rows) ?? rows
      ),
    executeRaw: (sql, params) =>
      run(
        () => prepared(sql),
        params,
        (rows) => rows
      ),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(
        Effect.map(
          run(
            () => prepared(sql),
            params,
            (rows) => transform?.(rows) ?? rows
          ),
          Stream.fromIterable
        )
      ),
    executeValues: (sql, params) => run(() => prepared(sql), params, values),
    executeValuesUnprepared: (sql, params) => run(() => database.prepare(sql), params, values),
    executeUnprepared: (sql, params, transform) =>
      run(
        () => database.prepare(sql),
        params,
        (rows) => transform?.(rows) ?? rows
      )
  }
}

const make = Effect.fnUntraced(function* (
  options: SqliteOptions
): Effect.fn.Return<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> {
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => open(options), catch: (cause) => failure(cause, `open ${options.filename}`) }),
    (database) => Effect.sync(() => database.close())
  )
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(makeConnection(database)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => database.isTransaction
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite",
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/**
 * A SQL client over the SQLite that Node brings: one connection, one transaction at a time. Fails where the file cannot
 * be opened.
 */
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
