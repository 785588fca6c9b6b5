/** What Google's servers take in place of a thought's signature, for a call that another model made. */
export const unsigned = "skip_thought_signature_validator"

/** Whether a model refuses a step whose first call has no signature: those from the third generation on. */
export const isWanted = (model: string): boolean => /gemini-(?:[3-9]|\d\d)/.test(model)
