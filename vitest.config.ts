import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/gate/ClosingLine.ts"],
    globalSetup: ["./test/support/UnpackedChromium.ts", "./test/support/BuiltPlayground.ts"],
    testTimeout: 60_000
  }
})
