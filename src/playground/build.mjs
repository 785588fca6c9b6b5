import { join } from "node:path"

// JavaScript, since the Node that installs may be older than the one that the project runs on.
const root = import.meta.dirname

/** Builds the page for the server: `dist/playground`, with a hash in the name of all but `index.html`. */
const build = ({ build }) =>
  build({
    root,
    configFile: false,
    // The page may stand behind a proxy's prefix.
    base: "./",
    logLevel: "warn",
    build: {
      outDir: join(root, "../../dist/playground"),
      emptyOutDir: true,
      target: "es2022",
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2000
    }
  })

// An installation without development dependencies has no Vite: the server says then that the page is not built.
const vite = await import("vite").catch(() => undefined)
if (vite === undefined) process.stderr.write("vite is not installed: the playground is not built\n")
else await build(vite)
