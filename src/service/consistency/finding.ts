import type { CollectionName } from '../../model/collections.ts'

/** What was held against what: an index against the rows, a row against another it names, a zone or a recordset
 *  against the rules, and what is stored against what is served; of several nodes the log against itself, a copy against
 *  PostgreSQL, and nodes against each other. */
export type FindingKind =
  | ('index' | 'reference' | 'zone' | 'recordset' | 'served')
  | ('log' | 'copy' | 'node')

/** Where a difference is, as far as that says anything. */
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

/** Something that is not as it should be. */
export type Finding = Subject & {
  readonly kind: FindingKind
  readonly problem: string
  /** What a person can do about it. */
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
  node: 'Mend the node, or forget it by the command: nodes remove NAME',
}

/** As many are listed; who has more has one problem, not a thousand. */
const maxFindings = 1000

/** What has been found so far, up to a bound. */
export class Findings {
  readonly #findings: Finding[] = []
  #omittedCount = 0

  get all(): readonly Finding[] {
    return this.#findings
  }

  /** Those beyond the bound. */
  get omittedCount(): number {
    return this.#omittedCount
  }

  add(kind: FindingKind, subject: Subject, problem: string, remedy = remedies[kind]): void {
    if (this.#findings.length === maxFindings) this.#omittedCount += 1
    else this.#findings.push({ kind, ...subject, problem, remedy })
  }
}
