import { types } from '../dns/codes.ts'
import { defaultTtlSeconds } from '../model/limits.ts'
import { type PackedRecordset, recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Zone } from '../model/zone.ts'
import type { Steps } from '../time-slice.ts'
import type { Edit, NameEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { PublishProblems } from './publish-problems.ts'
import type { RecordsetEdits } from './recordset-edits.ts'

/** RRsets processed between two checks whether other work should run. */
const editsPerStep = 16
/** Names whose edits become visible together. Readers of a signed zone wait meanwhile. */
const defaultNamesPerStep = 64
/** Time that waiting readers get before the next names are edited. */
const readersTurnMillis = 0.1

/** Makes edits in zones of the table. Edits that fail are reported and left out. */
export class ZoneEditor {
  readonly #problems: PublishProblems
  readonly #edits: RecordsetEdits

  constructor(problems: PublishProblems, edits: RecordsetEdits) {
    this.#problems = problems
    this.#edits = edits
  }

  /** Makes edits of names of a served zone in steps; usually a single one. Readers of a signed zone see all of a step or none of
   *  it.
   *  @param steps `servedOf` is called before each step, since other work may have run: undefined ends the editing; `make` must
   *  call `edit` of its step */
  *editNames(
    zone: Zone,
    edits: Iterable<NameEdits>,
    {
      servedOf,
      make = ({ edit }) => edit(),
      namesPerStep = defaultNamesPerStep,
    }: {
      readonly servedOf: () => TableZone | undefined
      readonly make?: (step: NamesStep) => void
      readonly namesPerStep?: number
    },
  ): Steps<void> {
    for (const names of inGroups(edits, namesPerStep)) {
      const served = servedOf()
      if (served === undefined) return
      let haveWaited = false
      const edit = () => {
        haveWaited = served.changeTogether(() => {
          for (const ofName of names) this.editName(zone, served, ofName)
        })
      }
      make({ served, names, edit })
      if (names.length < namesPerStep) return
      if (haveWaited) Atomics.wait(neverNotified, 0, 0, readersTurnMillis)
      yield
    }
  }

  /** Makes the edits of a name: all at once or, if that is impossible, those that can be made. */
  editName(zone: Zone, tableZone: TableZone, { owner, edits, part }: NameEdits): void {
    const [only, ...others] = edits
    if (only !== undefined && others.length === 0) {
      this.edit(zone, tableZone, only)
      return
    }
    try {
      tableZone.changeName(owner, edits.filter(isPossible), part)
    } catch {
      for (const edit of edits) this.edit(zone, tableZone, edit)
    }
  }

  /** Returns whether it succeeded. */
  edit(zone: Zone, tableZone: TableZone, { recordsetId, owner, type, rrset }: Edit): boolean {
    try {
      if (rrset !== undefined) tableZone.putRrset(owner, rrset)
      else if (isPossible({ type, rrset })) tableZone.removeRrset(owner, type)
      return true
    } catch (error) {
      this.#problems.reportThrown(zone, recordsetId, error)
      return false
    }
  }

  /** Puts a recordset as it is stored, octet for octet. Returns its type if it succeeded. */
  putStored(zone: Zone, tableZone: TableZone, record: PackedRecordset): number | undefined {
    const rrset = recordsetUnpacker.rrsetOf(record, zone.ttlSeconds ?? defaultTtlSeconds)
    if (rrset === undefined) return this.#putUnusual(zone, tableZone, record)
    if (this.#problems.firstOf(zone.id) !== undefined) {
      this.#problems.forget(zone.id, recordsetUnpacker.idOf(record))
    }
    try {
      tableZone.putOctets(rrset)
      return rrset.type
    } catch (error) {
      this.#problems.reportThrown(zone, recordsetUnpacker.idOf(record), error)
      return undefined
    }
  }

  /** Puts a recordset without records, or one that may not be entirely servable. */
  #putUnusual(zone: Zone, tableZone: TableZone, record: PackedRecordset): number | undefined {
    const edits = this.#edits.ofPacked(record, zone)
    const made = edits.filter(edit => this.edit(zone, tableZone, edit))
    return made.find(({ rrset }) => rrset !== undefined)?.type
  }
}

/** Edits of names of a zone that become visible together. */
export type NamesStep = {
  readonly served: TableZone
  readonly names: readonly NameEdits[]
  readonly edit: () => void
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4))

export function* inGroups<T>(items: Iterable<T>, count: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    if (group.push(item) < count) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** A zone needs its SOA: if a new one cannot be read, the last good one stays in place. */
function isPossible({ type, rrset }: Pick<Edit, 'type' | 'rrset'>): boolean {
  return type !== types.SOA || rrset !== undefined
}

/** Does something with each item, in steps; a few items are one step. `isOver` is called before the first and after each step:
 *  other work may have ended what is edited meanwhile. */
export function* editSteps<T>(
  items: Iterable<T>,
  {
    isOver = () => false,
    make,
  }: { readonly isOver?: () => boolean; readonly make: (item: T) => void },
): Steps<void> {
  if (isOver()) return
  let count = 0
  for (const item of items) {
    make(item)
    count += 1
    if (count % editsPerStep !== 0) continue
    yield
    if (isOver()) return
  }
}
