import { Layer } from "effect"
import type { ChatModel } from "../model/ChatModel.ts"
import * as Compaction from "../turn/Compaction.ts"
import type { Settings } from "./Settings.ts"

/** The compaction that the settings name. */
export const layer = ({ compactAbove, compaction }: Settings): Layer.Layer<never, never, ChatModel> => {
  switch (compaction) {
    case "summary":
      return Compaction.summary({ above: compactAbove })
    case "window":
      return Compaction.window({ above: compactAbove })
    case "none":
      return Layer.empty
  }
}
