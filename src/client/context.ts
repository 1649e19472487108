import type { Output } from './output.ts'
import type { Session } from './session.ts'

/** What commands work with. */
export type Context = {
  /** Logs in at the first call.
   *  @throws ClientError */
  readonly session: () => Promise<Session>
  readonly output: () => Output
  /** Asks the person at the terminal; where none is, the answer is no.
   *  @param question without its question mark */
  readonly confirm: (question: string) => Promise<boolean>
  /** Has a person edit a text in their editor. */
  readonly edit: (text: string, fileName: string) => Promise<string>
  /** The text of a file, or of standard input for `-`.
   *  @throws ClientError */
  readonly readText: (path: string) => Promise<string>
}
