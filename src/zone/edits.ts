import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import { NameMap } from './name-map.ts'
import type { OwnedRrset } from './rrset.ts'

/** What becomes of one RRset of a zone; `rrset` undefined takes it away. `recordsetId` identifies it. */
export type Edit = {
  readonly recordsetId: string
  readonly owner: Name
  readonly type: number
  readonly rrset: OwnedRrset | undefined
}

/** The order in which readers can bear to see edits one by one: what is new before what is gone, so that no name is
 *  missing in between, and the serial when all of it is there. */
const steps = ['additions', 'removals', 'serial'] as const

function stepOf({ type, rrset }: Edit): (typeof steps)[number] {
  if (type === types.SOA) return 'serial'
  return rrset === undefined ? 'removals' : 'additions'
}

/** Puts the edits of a commit into order. Of several of one RRset only the last is made. */
export function inOrder(edits: Iterable<Edit>): readonly Edit[] {
  const lastByRrset = new Map<string, Edit>()
  for (const edit of edits) lastByRrset.set(`${edit.type} ${lowerCaseName(edit.owner)}`, edit)
  const byStep = Map.groupBy(lastByRrset.values(), stepOf)
  return steps.flatMap(step => byStep.get(step) ?? [])
}

/** Edits of many commits that are to be made with the last of them. However many there are, neither adding one nor
 *  going on to the next takes long. */
export class HeldEdits {
  readonly #byOwner = new NameMap<Edit[]>()

  /** In place of an earlier one of the same RRset. */
  put(edit: Edit): void {
    const key = lowerCaseName(edit.owner)
    const others = this.#byOwner.get(key)?.filter(({ type }) => type !== edit.type) ?? []
    this.#byOwner.set(key, [...others, edit])
  }

  /** All of them in order, those of the last commit included. */
  *completedWith(edits: Iterable<Edit>): Generator<Edit> {
    for (const edit of edits) this.put(edit)
    for (const step of steps) {
      for (const ofOwner of this.#byOwner.values()) {
        for (const edit of ofOwner) if (stepOf(edit) === step) yield edit
      }
    }
  }
}
