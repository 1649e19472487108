import { ApiError } from '../errors.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import { WorkerDiedError } from './worker-pool.ts'

/** A zone cannot be imported. The zone's owner sees the reason as the message of the import. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

/** The message for a file that is not a zone file; `problem` begins with the line. */
export function malformed(problem: string): string {
  return `Malformed zonefile. ${problem.charAt(0).toUpperCase()}${problem.slice(1)}`
}

/** The message for an import's owner, in Designate's words where it has any; undefined: the owner cannot fix the error. */
export function importMessage(error: unknown): string | undefined {
  if (error instanceof ImportError) return error.message
  if (error instanceof ZoneFileError) return malformed(error.message)
  if (error instanceof WorkerDiedError) return `The file could not be read: ${error.message}.`
  if (!(error instanceof ApiError)) return undefined
  if (error.type === 'duplicate_zone') return 'Duplicate zone.'
  if (error.type === 'over_quota') return `Quota exceeded during zone import. ${error.message}`
  return [error.message, ...error.fieldErrors.map(({ message }) => message)].join(': ')
}

/** Lines of a file that its owner is told of at once. */
const maxRefusedLines = 10

/** Collects the refused lines of a zone file, so that they can be mended together. */
export class RefusedLines {
  readonly #messages: string[] = []

  /** @throws ImportError there are enough of them */
  add({ message }: ZoneFileError): void {
    this.#messages.push(message)
    if (this.#messages.length === maxRefusedLines) this.requireNone()
  }

  /** @throws ImportError there are some */
  requireNone(): void {
    if (this.#messages.length > 0) throw new ImportError(malformed(this.#messages.join('; ')))
  }
}
