import { ClientError, exitCodes } from './client-error.ts'

/** @param file what the message calls the text
 *  @throws ClientError the text is not JSON */
export function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new ClientError(`${file} is not JSON: ${problem}`, exitCodes.usage, { cause })
  }
}
