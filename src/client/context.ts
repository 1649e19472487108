import type { Output } from './output.ts'
import type { Session } from './session.ts'

/** What an archive holds. */
export type SavedBackup = { readonly fileCount: number; readonly octets: number }

/** What commands work with. */
export type Context = {
  /** Logs in at the first call.
   *  @throws ClientError */
  readonly session: () => Promise<Session>
  /** The Designate of the cloud that is named, and the server on this machine, or of --url, to take its zones over.
   *  @throws ClientError */
  readonly betweenClouds: () => Promise<{ readonly from: Session; readonly to: Session }>
  readonly output: () => Output
  /** Asks the person at the terminal; where none is, the answer is no.
   *  @param question without its question mark */
  readonly confirm: (question: string) => Promise<boolean>
  readonly pause: (ms: number) => Promise<void>
  /** Has a person edit a text in their editor. */
  readonly edit: (text: string, fileName: string) => Promise<string>
  /** The text of a file, or of standard input for `-`.
   *  @throws ClientError */
  readonly readText: (path: string) => Promise<string>
  /** Writes an archive to a file, or to standard output for `-`, and says what is in it.
   *  @throws ClientError it is not whole; there is no file then */
  readonly saveBackup: (path: string, archive: AsyncIterable<Uint8Array>) => Promise<SavedBackup>
}
