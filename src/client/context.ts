import type { Output } from './output.ts'
import type { Session } from './session.ts'

/** The size of an archive. */
type SavedBackup = { readonly fileCount: number; readonly octets: number }

/** The environment of commands. */
export type Context = {
  /** The server that a command asks. */
  readonly server: Session
  /** The Designate of the named cloud, and the server that takes over its zones: on this machine, or at --url.
   *  @throws ClientError */
  readonly betweenClouds: () => Promise<{ readonly from: Session; readonly to: Session }>
  readonly output: () => Output
  /** Asks the user at the terminal; without a terminal, the answer is no.
   *  @param question without its question mark */
  readonly confirm: (question: string) => Promise<boolean>
  readonly pause: (ms: number) => Promise<void>
  /** Opens a text in the user's editor and resolves with the edited text. */
  readonly edit: (text: string, fileName: string) => Promise<string>
  /** The text of a file, or of standard input for `-`.
   *  @throws ClientError */
  readonly readText: (path: string) => Promise<string>
  /** The files that a pattern such as `zones/*.conf` matches, sorted. */
  readonly filesLike: (pattern: string) => readonly string[]
  /** Writes an archive to a file, or to standard output for `-`, and returns its size.
   *  @throws ClientError the archive is not complete; then there is no file */
  readonly saveBackup: (path: string, archive: AsyncIterable<Uint8Array>) => Promise<SavedBackup>
}
