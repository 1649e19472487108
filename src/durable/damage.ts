import type { FileSystem } from './file-system.ts'

/** Something that keeps files from being used. */
export type Defect = { readonly file: string; readonly problem: string }

/** Files are not as they were written, and going on would lose or invent data. Says which file, where in it,
 *  what is wrong, and what a person can do. */
export class DamageError extends Error implements Defect {
  override readonly name = 'DamageError'
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

/** Files are of another version of the program: nothing is wrong with them, and nothing of them may be given up. */
export class OtherFormatError extends DamageError {
  constructor(file: string, { format, known }: { format: unknown; known: string }) {
    const problem = `it has format ${format}, this program reads format ${known}`
    super(file, { problem, remedy: 'Start the version that wrote it' })
  }
}

/** Takes note of damage. What opens files throws it; what looks over or repairs them collects it, and goes on
 *  without what is damaged. */
export type OnDamage = (file: string, problem: string) => void

/** Refuses to go on, and says how a part of the data can be given up to save the rest. */
export function refuseDamage(directory: string): OnDamage {
  const remedy = `${restore}, or ${repair} --data-dir ${directory}`
  return (file, problem) => {
    throw new DamageError(file, { problem, remedy })
  }
}

/** What could not be read, kept for people; no program looks at it again. */
export const damagedSuffix = '.damaged'

/** Takes a file out of the way, and keeps it; nothing where it does not exist. */
export async function setAside(files: FileSystem, path: string): Promise<void> {
  await files.link(path, path + damagedSuffix)
  await files.remove(path)
}
