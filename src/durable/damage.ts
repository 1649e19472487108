/** Files are not as they were written, and going on would lose or invent data. Says which file, where in it,
 *  what is wrong, and what a person can do. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  readonly file: string
  readonly problem: string

  constructor(file: string, { problem, remedy = restore }: { problem: string; remedy?: string }) {
    super(`${file}: ${problem}. ${remedy}`)
    this.file = file
    this.problem = problem
  }
}

const restore = 'Restore the data directory from a backup'

/** Takes note of damage. What opens files throws it; what looks over or repairs them collects it, and goes on
 *  without what is damaged. */
export type OnDamage = (file: string, problem: string) => void

/** Refuses to go on, and says how a part of the data can be given up to save the rest. */
export function refuseDamage(directory: string): OnDamage {
  const remedy = `${restore}, or give up what is damaged with: npm start -- store repair --data-dir ${directory}`
  return (file, problem) => {
    throw new DamageError(file, { problem, remedy })
  }
}
