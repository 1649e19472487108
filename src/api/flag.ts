const yesWords = new Set(['1', 't', 'true', 'on', 'y', 'yes'])

/** Reads a header or query value that switches something on: Designate takes several words for yes, in any
 *  case, and everything else for no. */
export function isFlagSet(text: string | null | undefined): boolean {
  return text !== null && text !== undefined && yesWords.has(text.trim().toLowerCase())
}
