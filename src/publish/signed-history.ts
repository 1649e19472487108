import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { type DifferenceAnswer, type RrsetChange, ZoneDifference } from '../zone/difference.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { NamesStep } from './zone-editor.ts'

/** Octets kept for all zones, and for one: some ten thousand changes of a name. */
const defaultLimits = { all: 64 * 1024 * 1024, each: 8 * 1024 * 1024 }
/** Of what is kept for all zones, when it is too much. */
const freedPart = 1 / 16
/** Octets that an RRset and a record take beside their rdata. */
const rrsetOctets = 200
const recordOctets = 150

/** From one serial of a zone to the next that was served. */
type Step = {
  readonly fromSerial: number
  readonly toSerial: number
  readonly changes: readonly RrsetChange[]
  readonly octets: number
}

type Kept = {
  readonly steps: Step[]
  octets: number
  /** What has changed since the last serial; undefined if that is unknown, which makes the next step unknown too. */
  pending: RrsetChange[] | undefined
  pendingOctets: number
}

/** The changes of zones signed here, including signatures, for IXFR. The store has no signatures, so the history is in memory
 *  and lost with the process: zones are then transferred whole. */
export class SignedHistory {
  readonly #limits: typeof defaultLimits
  readonly #zones = new Map<string, Kept>()
  #octets = 0

  constructor(limits = defaultLimits) {
    this.#limits = limits
  }

  /** Makes changes of names, and notes them. */
  note(zoneId: string, { served, names, edit }: NamesStep): void {
    const kept = this.#keep(zoneId)
    // The apex may appear twice, with the same edits: its SOA is edited last.
    const byOwner = new Map(names.map(({ owner, edits }) => [owner, edits]))
    const wanted = kept.pending === undefined ? [] : [...byOwner].flatMap(typesOf)
    const before = wanted.map(({ owner, type }) => rrsetAt(served, owner, type))
    edit()
    for (const [i, { owner, type }] of wanted.entries()) {
      const change = { before: before[i], after: rrsetAt(served, owner, type) }
      kept.pending?.push(change)
      kept.pendingOctets += octetsOf(change)
    }
    if (kept.pendingOctets > this.#limits.each) this.lose(zoneId)
  }

  /** Ends a step: later changes belong after this serial. */
  endStep(zoneId: string, { fromSerial, toSerial }: Pick<Step, 'fromSerial' | 'toSerial'>): void {
    const kept = this.#keep(zoneId)
    const { pending: changes, pendingOctets: octets } = kept
    kept.pending = []
    kept.pendingOctets = 0
    if (changes === undefined) return
    kept.steps.push({ fromSerial, toSerial, changes, octets })
    this.#add(kept, octets)
    while (kept.octets > this.#limits.each) this.#dropFirst(kept)
    if (this.#octets > this.#limits.all) this.#makeRoom()
  }

  /** Shortens the longest histories: zones that change much do not cost those that change little theirs. By more than is needed now,
   *  as all zones are compared for it. */
  #makeRoom(): void {
    const goal = this.#limits.all * (1 - freedPart)
    for (const kept of [...this.#zones.values()].sort((one, other) => other.octets - one.octets)) {
      while (this.#octets > goal && kept.steps.length > 0) this.#dropFirst(kept)
      if (this.#octets <= goal) return
    }
  }

  /** Begins the history at the zone as it is served with its present serial. */
  begin(zoneId: string): void {
    this.end(zoneId)
    this.#keep(zoneId).pending = []
  }

  /** Forgets the history of a zone that has changed in a way that is not noted. */
  lose(zoneId: string): void {
    this.end(zoneId)
    this.#keep(zoneId)
  }

  /** Forgets a zone. */
  end(zoneId: string): void {
    this.#octets -= this.#zones.get(zoneId)?.octets ?? 0
    this.#zones.delete(zoneId)
  }

  /** The changes from one serial to another; undefined if they are no longer known. */
  since(zoneId: string, fromSerial: number, toSerial: number): DifferenceAnswer | undefined {
    const steps = this.#zones.get(zoneId)?.steps ?? []
    const first = steps.findLastIndex(step => step.fromSerial === fromSerial)
    if (first < 0 || steps.at(-1)?.toSerial !== toSerial) return undefined
    const difference = new ZoneDifference()
    for (const { changes } of steps.slice(first)) {
      for (const change of changes) difference.add([change])
    }
    const answer = difference.answer()
    return answer?.fromSerial === fromSerial && answer.toSerial === toSerial ? answer : undefined
  }

  #keep(zoneId: string): Kept {
    const kept = this.#zones.get(zoneId) ?? {
      steps: [],
      octets: 0,
      pending: undefined,
      pendingOctets: 0,
    }
    this.#zones.set(zoneId, kept)
    return kept
  }

  #dropFirst(kept: Kept): void {
    this.#add(kept, -(kept.steps.shift()?.octets ?? 0))
  }

  #add(kept: Kept, octets: number): void {
    kept.octets += octets
    this.#octets += octets
  }
}

/** All RRSIG of a name are one RRset: their TTL is in each. */
function rrsetAt(served: TableZone, owner: Name, type: number) {
  const rrset = served.findRrset(owner, type)
  if (rrset === undefined) return undefined
  const ttlSeconds = type === types.RRSIG ? 0 : rrset.ttlSeconds
  return { ...rrset, ttlSeconds, owner: served.givenName(owner) ?? owner }
}

function octetsOf({ before, after }: RrsetChange): number {
  let octets = 0
  for (const rrset of [before, after]) {
    if (rrset === undefined) continue
    octets += rrsetOctets
    for (const { length } of rrset.rdatas) octets += recordOctets + length
  }
  return octets
}

function typesOf([owner, edits]: readonly [Name, readonly Edit[]]) {
  return [...new Set(edits.map(({ type }) => type))].map(type => ({ owner, type }))
}
