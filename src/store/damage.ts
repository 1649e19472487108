/** The store's files are not as it wrote them, and going on would lose or invent data. Says which file,
 *  where in it, what is wrong, and what a person can do. */
export class StoreDamageError extends Error {
  override readonly name = 'StoreDamageError'
  readonly file: string
  readonly problem: string

  constructor(file: string, { problem, remedy }: { problem: string; remedy: string }) {
    super(`${file}: ${problem}. ${remedy}`)
    this.file = file
    this.problem = problem
  }
}

/** Takes note of damage. What opens a store throws it; what looks over or repairs one collects it, and goes
 *  on without what is damaged. */
export type OnDamage = (file: string, problem: string) => void

/** Refuses to go on, and says how a part of the data can be given up to save the rest. */
export function refuseDamage(directory: string): OnDamage {
  const remedy = `Restore the data directory from a backup, or give up what is damaged with: npm start -- store repair --data-dir ${directory}`
  return (file, problem) => {
    throw new StoreDamageError(file, { problem, remedy })
  }
}
