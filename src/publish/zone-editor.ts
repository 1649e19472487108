import { types } from '../dns/codes.ts'
import type { Zone } from '../model/zone.ts'
import type { Steps } from '../time-slice.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { PublishProblems } from './publish-problems.ts'

/** RRsets between two questions whether others should have their turn. */
const editsPerStep = 16

/** Makes edits in zones of the table. What cannot be made is reported and left out. */
export class ZoneEditor {
  readonly #problems: PublishProblems

  constructor(problems: PublishProblems) {
    this.#problems = problems
  }

  /** Returns whether it could be done. */
  edit(zone: Zone, tableZone: TableZone, { recordsetId, owner, type, rrset }: Edit): boolean {
    try {
      if (rrset !== undefined) tableZone.putRrset(owner, rrset)
      // A zone lives on its SOA; one that cannot be read leaves the last good one in place.
      else if (type !== types.SOA) tableZone.removeRrset(owner, type)
      return true
    } catch (error) {
      this.#problems.reportThrown(zone, recordsetId, error)
      return false
    }
  }
}

/** Makes edits in steps. `isOver` is asked before the first and after each: meanwhile somebody else may have brought to
 *  an end what is edited. */
export function* editSteps(
  edits: Iterable<Edit | undefined>,
  { isOver, make }: { readonly isOver: () => boolean; readonly make: (edit: Edit) => void },
): Steps<void> {
  if (isOver()) return
  let count = 0
  for (const edit of edits) {
    count += 1
    if (count % editsPerStep === 0) {
      yield
      if (isOver()) return
    }
    if (edit !== undefined) make(edit)
  }
}
