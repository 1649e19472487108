import { types } from '../dns/codes.ts'
import { defaultTtlSeconds } from '../model/limits.ts'
import { type PackedRecordset, recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Zone } from '../model/zone.ts'
import type { Steps } from '../time-slice.ts'
import type { Edit, NameEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { PublishProblems } from './publish-problems.ts'
import type { RecordsetEdits } from './recordset-edits.ts'

/** RRsets between two questions whether others should have their turn. */
const editsPerStep = 16
/** Names whose edits are seen together. Readers of a signed zone wait meanwhile. */
const defaultNamesPerStep = 64
/** As long as those have to go on that have waited, before the next names are edited. */
const readersTurnMillis = 0.1

/** Makes edits in zones of the table. What cannot be made is reported and left out. */
export class ZoneEditor {
  readonly #problems: PublishProblems
  readonly #edits: RecordsetEdits

  constructor(problems: PublishProblems, edits: RecordsetEdits) {
    this.#problems = problems
    this.#edits = edits
  }

  /** Makes edits of names of a zone that is served, in steps: as a rule all of them are one. Readers of a signed zone see all
   *  of a step or none of it.
   *  @param steps `servedOf` is asked before each step: undefined ends it, since others have had their turn; `make` must call
   *  `edit` of its step */
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

  /** Makes the edits of a name: all at once, or where that cannot be, those that can be. */
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

  /** Returns whether it could be done. */
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

  /** Puts a recordset as it is stored, octet for octet. Returns its type, where it could be done. */
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

  /** What has no records, or may not be fit to be served as a whole. */
  #putUnusual(zone: Zone, tableZone: TableZone, record: PackedRecordset): number | undefined {
    const edits = this.#edits.of(recordsetUnpacker.unpack(record), zone)
    const made = edits.filter(edit => this.edit(zone, tableZone, edit))
    return made.find(({ rrset }) => rrset !== undefined)?.type
  }
}

/** Edits of names of a zone, that are seen together. */
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

/** A zone lives on its SOA; one that cannot be read leaves the last good one in place. */
function isPossible({ type, rrset }: Pick<Edit, 'type' | 'rrset'>): boolean {
  return type !== types.SOA || rrset !== undefined
}

/** Does something with each item, in steps; a few items are one step. `isOver` is asked before the first and after each
 *  step: meanwhile somebody else may have brought to an end what is edited. */
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
