import type { CollectionName } from '../../model/collections.ts'

/** What was compared: an index with the rows, a row with another that it names, a zone or a recordset with the
 *  rules, and stored with served content; with several nodes, the log with itself, a copy with PostgreSQL, and nodes
 *  with each other. */
type FindingKind =
  | ('index' | 'reference' | 'zone' | 'recordset' | 'served')
  | ('log' | 'copy' | 'node')

/** The location of a difference, in the fields that apply. */
export type Subject = {
  readonly collection?: CollectionName
  /** Of the row. */
  readonly id?: string | undefined
  readonly zone?: string
  /** Of the owner, in presentation form. */
  readonly name?: string
  readonly type?: string
  /** Which server in this process. */
  readonly target?: string
}

/** An inconsistency. */
export type Finding = Subject & {
  readonly kind: FindingKind
  readonly problem: string
  /** What an operator can do about it. */
  readonly remedy: string
}

const remedies: Readonly<Record<FindingKind, string>> = {
  index: 'Start the server again: indexes are made anew from the rows',
  reference: 'No request reaches it any more: restore the data directory from a backup',
  zone: 'Change the zone, such as its description: SOA and serial are written anew',
  recordset: 'Change or delete the recordset',
  served: 'Start the server again: it serves what is stored',
  log: 'Restore PostgreSQL from a backup, or move a sound node by the command: store publish',
  copy: 'Where one node alone says so, stop it and start it with an empty data directory; where all do, PostgreSQL has the row wrong',
  node: 'Its log says why',
}

/** The most findings that are listed: more of them are one problem, not a thousand. */
const maxFindings = 1000

/** The findings so far, up to a bound. */
export class Findings {
  readonly #findings: Finding[] = []
  #omittedCount = 0

  get all(): readonly Finding[] {
    return this.#findings
  }

  /** The number of findings beyond the bound. */
  get omittedCount(): number {
    return this.#omittedCount
  }

  add(kind: FindingKind, subject: Subject, problem: string, remedy = remedies[kind]): void {
    if (this.#findings.length === maxFindings) this.#omittedCount += 1
    else this.#findings.push({ kind, ...subject, problem, remedy })
  }
}
