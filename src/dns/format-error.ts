/** The input, octets or text, does not have the form that its specification demands. Callers turn it into FORMERR (data
 *  plane) or into a catalogued 400 (management plane); the message names what was expected and what was found, and
 *  never quotes more than a few words of the input. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}

/** The result, or undefined where the input does not have the form that its specification demands. */
export function ifWellFormed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
