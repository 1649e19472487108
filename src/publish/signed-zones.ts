import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { type Denial, denialOf } from '../dnssec/denial.ts'
import { signatureFields, type ZoneKey } from '../dnssec/key.ts'
import type { OnDemandKeys } from '../dnssec/on-demand.ts'
import { isLasting } from '../dnssec/policy.ts'
import { signedEdits } from '../dnssec/signed-edits.ts'
import { signersOf } from '../dnssec/signing-terms.ts'
import type { StoredDnssecKey } from '../model/dnssec-key.ts'
import type { Zone } from '../model/zone.ts'
import { everything } from '../store/indexes.ts'
import type { Commit } from '../store/store.ts'
import { atOnce, inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { type Edit, StagedEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { SignedHistory } from './signed-history.ts'
import { SigningRuns, type SigningRunsOptions } from './signing-runs.ts'
import { signedParts } from './whole-parts.ts'
import { editSteps } from './zone-editor.ts'

export type SignedZonesOptions = SigningRunsOptions & {
  readonly servedOf: (zone: Zone) => TableZone | undefined
  /** Returns the row of a zone that is to be served. */
  readonly zoneToServe: (id: string) => Zone | undefined
  readonly serve: (zone: Zone, tableZone: TableZone) => void
  /** Keys that answers are signed with while a zone is not signed. Without them a start signs before answering any query. */
  readonly onDemandKeys?: OnDemandKeys | undefined
}

/** Zones that are signed here. What a commit changes is signed with it; a zone that has no signatures by its key is signed
 *  as a whole. */
export class SignedZones {
  /** Called once a zone has all its new signatures: a commit that records this serves them. */
  onSigned: ((zoneId: string) => void) | undefined
  /** Called once a zone is answered with new signatures: secondaries notice them by a new serial. */
  onResigned: ((zoneId: string) => void) | undefined
  readonly history = new SignedHistory()
  readonly #options: SignedZonesOptions
  readonly #runs: SigningRuns
  /** Zones whose signatures have changed without a new serial. */
  readonly #resigned = new Set<string>()
  #prepared: Prepared | undefined
  /** When the first signature of a zone expires, in seconds, as of the last check of all of them. */
  readonly #endsAt = new Map<string, number>()

  constructor(options: SignedZonesOptions) {
    this.#options = options
    this.#runs = new SigningRuns(options, zone => this.#takeSigned(zone))
  }

  /** The key of a row.
   *  @throws Error its private part cannot be read */
  keyOf(row: StoredDnssecKey): ZoneKey {
    return this.#options.zoneKeys.keyOf(row)
  }

  /** Whether a zone has had other signatures with its present serial, so that it should not be transferred. */
  isResigned(zoneId: string): boolean {
    return this.#resigned.has(zoneId)
  }

  /** Plans and signs the edits of a commit that is not durable yet, if that is brief: the disk works meanwhile, and `publish`
   *  only has to make them. The commit must be a change of `signedChangeOf`, and the next that is published.
   *  @throws Error the key cannot be read */
  prepare(zone: Zone, edits: readonly Edit[], commit: Commit): void {
    const served = this.#options.servedOf(zone)
    if (served === undefined || served.isSignedOnDemand || !this.#isSigned(zone, served)) return
    const { ref, changeCount } = served
    const [part = []] = this.#signedParts(zone, served, edits)
    const staged = new StagedEdits(served, 'small')
    let stepCount = 0
    for (const edit of part) {
      if (edit !== undefined) staged.put(edit)
      stepCount += 1
      if (stepCount > maxPreparedSteps) return
    }
    this.#prepared = { commit, ref, changeCount, edits: staged }
  }

  /** Publishes edits of a commit in a zone: with the signatures they need or, if the whole zone is being signed, unchanged and
   *  noted.
   *  @throws Error the key cannot be read */
  *publish(zone: Zone, edits: readonly Edit[], commit: Commit): Steps<void> {
    const hasNewSerial = edits.some(({ type }) => type === types.SOA)
    this.#runs.note(zone, edits)
    if (zone.dnssec?.signedAt && this.#serveSigned(zone)) {
      if (hasNewSerial) {
        this.history.begin(zone.id)
        this.#resigned.delete(zone.id)
      }
      return
    }
    const served = this.#options.servedOf(zone)
    const prepared = served && this.#takePrepared(served, commit)
    const isSigned =
      served !== undefined && (prepared !== undefined || this.#isSigned(zone, served))
    if (isSigned) {
      const { serial: fromSerial } = served
      if (prepared === undefined) yield* this.edit(zone, served, edits)
      else yield* this.#make(zone, prepared, denialOf(served))
      if (!hasNewSerial || served.isSignedOnDemand) return
      this.history.endStep(zone.id, { fromSerial, toSerial: served.serial })
      this.#resigned.delete(zone.id)
    } else if (served !== undefined) {
      const staged = new StagedEdits(served, 'small')
      yield* editSteps(edits, { make: edit => staged.put(edit) })
      yield* this.#make(zone, staged, undefined)
    }
    if (!isSigned) void this.sign(zone)
  }

  /** Edits a zone that is served with signatures.
   *  @param names those whose signatures are looked at as well
   *  @throws Error the key cannot be read */
  *edit(
    zone: Zone,
    served: TableZone,
    edits: readonly Edit[],
    names?: Iterable<Name>,
  ): Steps<void> {
    const { servedOf } = this.#options
    for (const part of this.#signedParts(zone, served, edits, names)) {
      const staged = new StagedEdits(served, 'small')
      for (const edit of part) {
        if (edit === undefined) yield
        else staged.put(edit)
      }
      yield* this.#make(zone, staged, denialOf(served))
      // A zone that has replaced it already has the noted edits.
      if (servedOf(zone)?.ref !== served.ref) return
    }
  }

  /** Yields the parts of edits, each planned and signed as it is read.
   *  @throws Error the key cannot be read */
  *#signedParts(
    zone: Zone,
    served: TableZone,
    edits: readonly Edit[],
    names?: Iterable<Name>,
  ): Generator<Iterable<Edit | undefined>> {
    const { zoneKeys, onDemandKeys } = this.#options
    const terms = zoneKeys.termsOf(zone)
    if (served.isSignedOnDemand) onDemandKeys?.put(served.ref, terms)
    for (const { part, ...extras } of signedParts(served, edits, { terms, names, ownersPerPart }))
      yield signedEdits(served, part, terms, extras)
  }

  /** The prepared edits of a commit, unless something else has changed the zone since. */
  #takePrepared({ ref, changeCount }: TableZone, commit: Commit): StagedEdits | undefined {
    const prepared = this.#prepared
    this.#prepared = undefined
    const isCurrent =
      prepared?.commit === commit && prepared.ref === ref && prepared.changeCount === changeCount
    return isCurrent ? prepared.edits : undefined
  }

  /** Makes edits of a zone that a start has taken over as an earlier process left it, and renews the signatures that have
   *  expired since.
   *  @param leftAtMicros when it was left */
  async catchUp(zone: Zone, edits: readonly Edit[], leftAtMicros: number): Promise<void> {
    try {
      const served = this.#options.servedOf(zone)
      if (served === undefined) return
      const isOld = this.#options.zoneKeys.nowSeconds - leftAtMicros / 1e6 > longestAbsenceSeconds
      if (isOld) await this.#renew(zone, served)
      if (edits.length === 0 && !this.#resigned.has(zone.id)) this.history.begin(zone.id)
      if (edits.length === 0) return
      this.#resigned.add(zone.id)
      await inSlices(this.edit(zone, served, edits))
    } catch (error) {
      this.#options.onFailed(zone, error)
    }
  }

  /** Serves a zone that has no signatures in the table: at once, with each answer signed by the thread that gives it, until the
   *  whole zone is signed. If it cannot be served this way, it is signed first. */
  async start(zone: Zone): Promise<void> {
    const { zoneKeys, onDemandKeys, serve, table, onFailed } = this.#options
    if (onDemandKeys === undefined) return this.sign(zone)
    try {
      const terms = zoneKeys.termsOf(zone)
      const tableZone = await this.#runs.link(zone, terms)
      onDemandKeys.put(tableZone.ref, terms)
      tableZone.isSignedOnDemand = true
      serve(zone, tableZone)
      table.discard(tableZone)
      this.#resigned.add(zone.id)
      void this.sign(zone)
    } catch (error) {
      onFailed(zone, error)
      await this.sign(zone)
    }
  }

  /** Signs a zone as a whole. If it is already answered with signatures, or would be if there were any, the signed zone is then
   *  served; otherwise a commit has to record that it is, with a new serial. */
  sign(zone: Zone): Promise<void> {
    return this.#runs.begin(zone)
  }

  #takeSigned(zone: Zone): void {
    const current = this.#options.zoneToServe(zone.id)
    if (current?.dnssec === undefined) this.end(zone)
    else if (current.dnssec.signedAt === null) this.onSigned?.(zone.id)
    else {
      this.#serveSigned(current)
      this.history.lose(zone.id)
      this.#resigned.add(zone.id)
      this.onResigned?.(zone.id)
    }
  }

  /** Renews the signatures that expire soon; returns the zones that need a new serial. Begins to sign zones that should be
   *  signed and are not. */
  async renewSignatures(): Promise<string[]> {
    for (const zone of [...this.#options.store.list('zones', 'signed', everything)]) {
      const served = this.#options.servedOf(zone)
      if (served === undefined || this.#runs.isUnderWay(zone)) continue
      try {
        if (served.isSignedOnDemand || !this.#isSigned(zone, served)) void this.sign(zone)
        else await this.#renew(zone, served)
      } catch (error) {
        this.#options.onFailed(zone, error)
      }
    }
    return [...this.#resigned].filter(id => !this.#runs.isUnderWay({ id }))
  }

  /** Forgets a zone that is no longer served, or no longer signed. */
  end(zone: Zone): void {
    this.#runs.end(zone)
    this.history.end(zone.id)
    this.#resigned.delete(zone.id)
    this.#endsAt.delete(zone.id)
  }

  /** Ends all signing of whole zones: the next start begins it again. */
  async close(): Promise<void> {
    this.#runs.close()
  }

  /** When the first signature of a zone, or of all zones, expires, in seconds since the epoch, as of the last hourly check.
   *  Undefined if none is known. */
  nearestExpiration(zoneId?: string): number | undefined {
    if (zoneId !== undefined) return this.#endsAt.get(zoneId)
    let nearest = Number.POSITIVE_INFINITY
    for (const endsAt of this.#endsAt.values()) nearest = Math.min(nearest, endsAt)
    return Number.isFinite(nearest) ? nearest : undefined
  }

  /** Re-signs the parts of a zone that lack the signatures its keys call for. Resolves once all of it has them, with its longest
   *  TTL in seconds; with undefined if the zone was replaced meanwhile, or is not signed yet.
   *  @throws Error a key cannot be read */
  async resign(zone: Zone): Promise<number | undefined> {
    const served = this.#options.servedOf(zone)
    if (served === undefined || this.#runs.isUnderWay(zone) || !this.#isSigned(zone, served)) {
      return undefined
    }
    return this.#renew(zone, served)
  }

  /** Whether a zone is answered with the DNSKEY that its keys call for.
   *  @throws Error a key cannot be read */
  servesKeys(zone: Zone): boolean {
    const served = this.#options.servedOf(zone)
    if (served === undefined) return false
    const { wanted, present } = this.#dnskeysOf(zone, served)
    const isPresent = (key: Uint8Array) => present.some(rdata => Buffer.compare(rdata, key) === 0)
    return present.length === wanted.length && wanted.every(isPresent)
  }

  /** How the answers of a zone deny names; undefined if it is not answered with signatures made here, or is about to be signed
   *  as a whole. */
  denialOf(zone: Zone): Denial | undefined {
    const served = this.#options.servedOf(zone)
    return served === undefined || this.#runs.isUnderWay(zone) ? undefined : denialOf(served)
  }

  /** Whether a zone of the table is signed with the zone's keys. */
  #isSigned(zone: Zone, tableZone: TableZone): boolean {
    const { wanted, present } = this.#dnskeysOf(zone, tableZone)
    return present.some(rdata => wanted.some(key => Buffer.compare(rdata, key) === 0))
  }

  /** The rdata of the DNSKEY that a zone should have, and of those that it has. */
  #dnskeysOf(zone: Zone, tableZone: TableZone) {
    const { apexRrsets } = this.#options.zoneKeys.termsOf(zone)
    const wanted = apexRrsets.find(({ type }) => type === types.DNSKEY)?.rdatas ?? []
    const present = tableZone.findRrset(tableZone.apex, types.DNSKEY)?.rdatas ?? []
    return { wanted, present }
  }

  /** Serves the zone signed as a whole; returns false if there is none. */
  #serveSigned(zone: Zone): boolean {
    const tableZone = this.#runs.finish(zone)
    if (tableZone === undefined) return false
    this.#options.serve(zone, tableZone)
    this.#runs.end(zone)
    return true
  }

  /** @param denial of the zone that the edits were planned for */
  #make(zone: Zone, edits: StagedEdits, denial: Denial | undefined): Steps<void> {
    const { servedOf, editor } = this.#options
    let ref: number | undefined
    const servedNow = () => {
      // Another zone may have replaced it meanwhile. One that is signed differently already has the noted edits.
      const served = servedOf(zone)
      if (served === undefined || served.ref === ref) return served
      ref = served.ref
      return denialOf(served) === denial ? served : undefined
    }
    return editor.editNames(zone, edits.inOrder(), {
      servedOf: servedNow,
      make: step => this.history.note(zone.id, step),
      namesPerStep: namesPerPart,
    })
  }

  async #renew(zone: Zone, served: TableZone): Promise<number | undefined> {
    const { servedOf, zoneToServe } = this.#options
    const slice = new TimeSlice()
    let longestTtlSeconds = 0
    let endsAt = Number.POSITIVE_INFINITY
    for (const { name, isDue, ttlSeconds, expiration } of this.#names(zone, served)) {
      if (slice.isSpent) await slice.yield()
      longestTtlSeconds = Math.max(longestTtlSeconds, ttlSeconds)
      if (!isDue) {
        endsAt = Math.min(endsAt, expiration)
        continue
      }
      const current = zoneToServe(zone.id)
      if (current?.dnssec === undefined || servedOf(current)?.ref !== served.ref) return undefined
      this.#resigned.add(zone.id)
      atOnce(this.edit(current, served, [], [name]))
      endsAt = Math.min(endsAt, expirationOf(signaturesOf(served, name)))
    }
    if (Number.isFinite(endsAt)) this.#endsAt.set(zone.id, endsAt)
    return longestTtlSeconds
  }

  /** Yields the names of a zone, each with whether it has signatures to renew, lacks some or has too many, and with the longest
   *  TTL of its signed RRsets. */
  *#names(zone: Zone, tableZone: TableZone): Generator<SignedName> {
    const terms = this.#options.zoneKeys.termsOf(zone)
    for (const name of ownersOf(tableZone)) {
      const rdatas = tableZone.findRrset(name, types.RRSIG)?.rdatas ?? []
      const signatures = rdatas.map(rdata => ({ rdata, ...signatureFields(rdata) }))
      const isGood = (signature: (typeof signatures)[number]) =>
        isLasting(signature, terms.nowSeconds, zone.soaTimers.expireSeconds) &&
        signersOf(terms, signature.covered).some(key => key.hasMade(signature.rdata))
      const wantedCount = [...new Set(signatures.map(({ covered }) => covered))].reduce(
        (sum, covered) => sum + signersOf(terms, covered).length,
        0,
      )
      const isDue = signatures.length !== wantedCount || !signatures.every(isGood)
      const ttlSeconds = Math.max(0, ...signatures.map(it => it.ttlSeconds))
      yield { name, isDue, ttlSeconds, expiration: expirationOf(signatures) }
    }
  }
}

/** The edits of a commit with their signatures, for a zone of the table as it was then. */
type Prepared = {
  readonly commit: Commit
  readonly ref: number
  readonly changeCount: number
  readonly edits: StagedEdits
}

/** Edits and names that are planned without a pause while a commit becomes durable. */
const maxPreparedSteps = 64

/** All names that can have signatures. */
function* ownersOf(tableZone: TableZone): Generator<Name> {
  yield* tableZone.names()
  yield* tableZone.hashOwners()
}

type SignedName = {
  readonly name: Name
  readonly isDue: boolean
  readonly ttlSeconds: number
  /** The earliest expiration of a signature; infinite if there is none. */
  readonly expiration: number
}

function signaturesOf(tableZone: TableZone, name: Name) {
  return (tableZone.findRrset(name, types.RRSIG)?.rdatas ?? []).map(signatureFields)
}

function expirationOf(signatures: readonly { readonly expiration: number }[]): number {
  return Math.min(...signatures.map(({ expiration }) => expiration))
}

/** Owners whose edits are signed and become visible together, with the names that their NSEC or NSEC3 need. A commit of more
 *  owners is made in parts, each of which leaves a completely signed zone. */
const ownersPerPart = 32
const namesPerPart = 256

/** Signatures are renewed days before they expire: if a server was away for longer than this, some may have expired. */
const longestAbsenceSeconds = 86_400
