import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with one line that any reader of logs understands: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length
    const count = (state: string) => states.filter((other) => other === state).length
    process.stdout.write(`\n${count("passed")} passed, ${count("failed") + broken} failed\n`)
  }
}
