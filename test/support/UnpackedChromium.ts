import chromium from "@sparticuz/chromium"

/** Unpacks the browser before there are tests: of two that do it at a time, one would start the other's half of a file. */
export default async () => {
  await chromium.executablePath()
}
