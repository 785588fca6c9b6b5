import { Context } from "effect"

/** Whether spans tell what is said: only where somebody asked for it, since it is their users' text. */
export const CaptureContent = Context.Reference<boolean>("effect-aap/CaptureContent", { defaultValue: () => false })
