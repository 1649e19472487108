import { OperatorError } from '../operator-error.ts'
import type { FileSystem } from './file-system.ts'

/** Something that keeps files from being used. */
export type Defect = { readonly file: string; readonly problem: string }

/** A defect that the next start does away with, and what it does. */
export type Mended = Defect & { readonly remedy: string }

/** Files are not as they were written, and continuing would lose or invent data. Names the file, the place in it, the problem,
 *  and the remedy. */
export class DamageError extends OperatorError implements Defect {
  readonly file: string
  readonly problem: string

  constructor(
    file: string,
    { problem, remedy = `${restore}, or ${repair}` }: { problem: string; remedy?: string },
  ) {
    super(`${file}: ${problem}. ${remedy}`)
    this.file = file
    this.problem = problem
  }
}

const restore = 'Restore the data directory from a backup'
const repair = 'give up what is damaged with the command: store repair'

/** Files are of another version of the program: they are not damaged, and no part of them may be given up. */
export class OtherFormatError extends DamageError {
  constructor(file: string, { format, known }: { format: unknown; known: string }) {
    const problem = `it has format ${format}, this program reads format ${known}`
    super(file, { problem, remedy: 'Start the version that wrote it' })
  }
}

/** Receives damage. Code that opens files throws it; code that checks or repairs them collects it and continues without the
 *  damaged part. */
export type OnDamage = (file: string, problem: string) => void

/** What helps against damage in a data directory: a backup, or to give up a part of the data to save the rest. */
export function remedyFor(directory: string): string {
  return `${restore}, or ${repair} --data-dir ${directory}`
}

/** Throws the damage, with the remedy. */
export function refuseDamage(directory: string): OnDamage {
  const remedy = remedyFor(directory)
  return (file, problem) => {
    throw new DamageError(file, { problem, remedy })
  }
}

/** What reading answers where a disk has lost the content of a file, or there is a directory in its place. */
const unreadable = ['EIO', 'EBADMSG', 'EUCLEAN', 'EISDIR']

/** What is wrong with a file that could not be read or decoded.
 *  @throws the error, where it says nothing of the file, such as that this user may not read it */
export function problemOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'it is missing'
  if (/^E[A-Z]+$/.test(code) && !unreadable.includes(code)) throw error
  return `it cannot be read (${message})`
}

/** Waits for a read of a file. @throws DamageError the file cannot be read, and could not be later */
export async function readOf<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!unreadable.includes(code)) throw error
    throw new DamageError(path, { problem: problemOf(error) })
  }
}

/** Suffix of files that could not be read, kept for inspection; the program does not read them again. */
export const damagedSuffix = '.damaged'

/** Renames a file out of the way and keeps it; does nothing if it does not exist. */
export async function setAside(files: FileSystem, path: string): Promise<void> {
  await files.link(path, path + damagedSuffix)
  await files.remove(path)
}
