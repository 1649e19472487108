const yesWords = new Set(['1', 't', 'true', 'on', 'y', 'yes'])

/** Reads a boolean header or query value: as in Designate, several words in any case mean yes, and everything else means no. */
export function isFlagSet(text: string | null | undefined): boolean {
  return text !== null && text !== undefined && yesWords.has(text.trim().toLowerCase())
}
