import type { Duty } from '../../cluster/duty.ts'
import type { Denial } from '../../dnssec/denial.ts'
import type { ZoneKey } from '../../dnssec/key.ts'
import type { KeyRole } from '../../dnssec/key-goals.ts'
import { introduced, isPending, isServed } from '../../dnssec/presence.ts'
import type { KeySealing } from '../../dnssec/sealed-key.ts'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { isAllowed, requireAllowed } from '../../identity/policy.ts'
import type { DnssecKey, StoredDnssecKey } from '../../model/dnssec-key.ts'
import { wantedKeys } from '../../model/dnssec-policy.ts'
import { quote } from '../../model/quote.ts'
import { changedRow } from '../../model/stamped.ts'
import { isWrittenElsewhere, type Zone, type ZoneDnssec } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Commit, Store, StoreReader, Transaction } from '../../store/store.ts'
import { findAtApex } from '../rules/find-recordset.ts'
import { findHostedParent } from '../rules/hosted-parent.ts'
import { requireRoomForSignedZone } from '../rules/quotas.ts'
import { getChangeableZone, getZone } from '../rules/zone-access.ts'
import { advanceZone } from '../rules/zone-rows.ts'
import { undelegatedChildren } from '../rules/zone-tree.ts'
import { noteExpiring } from './expiring-signatures.ts'
import { KeyRolls } from './key-rolls.ts'
import { dsTextsOf, getKey, getPolicy, keysOf } from './key-rows.ts'
import { noteParent, putRestoredKeys, stepKeys, unsign } from './key-steps.ts'
import {
  type AskParent,
  type Notification,
  type NotifyParent,
  ParentChecks,
  type ParentReport,
} from './parent-check.ts'
import { signalledNamesOf } from './signalling-names.ts'

type DnssecOptions = {
  readonly store: Store
  readonly duty: Duty
  readonly sealing: KeySealing
  readonly signed: {
    onSigned: ((zoneId: string) => void) | undefined
    onResigned: ((zoneId: string) => void) | undefined
    renewSignatures(): Promise<string[]>
    resign(zone: Zone): Promise<number | undefined>
    servesKeys(zone: Zone): boolean
    sign(zone: Zone): Promise<void>
    /** The denial that the zone's answers use; undefined where it is not served, or is being signed as a whole. */
    denialOf(zone: Zone): Denial | undefined
    keyOf(row: DnssecKey): ZoneKey
    nearestExpiration(zoneId?: string): number | undefined
  }
  readonly askParent: AskParent
  readonly notifyParent: NotifyParent
  readonly nowMillis: () => number
  /** Called when background work fails; it is retried later. */
  readonly onFailed: (zoneId: string, error: unknown) => void
}

type DnssecStatus = 'UNSIGNED' | 'SIGNING' | 'SIGNED' | 'UNSIGNING' | 'PRESIGNED'

/** The DNSSEC state of a zone. */
export type DnssecState = {
  readonly zone: Zone
  readonly status: DnssecStatus
  /** How the zone denies names that do not exist, or will; undefined where it is not signed here. */
  readonly denial: Denial | undefined
  /** When its first signature expires, in seconds; undefined where that is not known yet. */
  readonly nearestExpiration: number | undefined
  readonly keys: readonly { readonly row: DnssecKey; readonly dnskey: string }[]
  /** The DS records that the parent should have. */
  readonly ds: readonly string[]
  /** Whether CDS and CDNSKEY request them of the parent. */
  readonly isDsAsked: boolean
  readonly parent: {
    readonly hosted: Zone | undefined
    readonly report: ParentReport | undefined
    readonly notification: Notification | undefined
    /** Signalling names in zones of this server, where registries find the zone's CDS and CDNSKEY (RFC 9615). */
    readonly signalledAt: readonly string[]
    /** DS records at the parent that belong to no key of the zone. */
    readonly foreignDs: readonly string[]
    /** How many servers of the parent have the DS of a key as it should be. */
    readonly followersOf: (row: DnssecKey) => { readonly some: number; readonly all: number }
  }
}

/** What a client may set when it has a zone signed. */
type DnssecDraft = {
  readonly policyId?: string | undefined
  /** Without any, those that the parent zone names are asked. */
  readonly parentServers?: readonly string[] | undefined
  /** Whether it publishes the signals of zones whose name servers have names in it. */
  readonly signalsChildren?: boolean | undefined
}

/** Types that the server generates at the apex of a zone that it signs. */
const keyTypes = ['DNSKEY', 'CDS', 'CDNSKEY'] as const
/** Each roll makes keys and signatures, and so costs the server more than the request. */
const maxRollsADay = 10
const dayMicros = 86_400 * 1_000_000

/** Zones that are signed here, and their keys. */
export class Dnssec {
  readonly rolls: KeyRolls
  readonly #options: DnssecOptions
  readonly #parents: ParentChecks
  readonly #steps: { readonly sealing: KeySealing; readonly keyOf: (row: DnssecKey) => ZoneKey }

  constructor(options: DnssecOptions) {
    const { store, signed, sealing, nowMillis, onFailed } = options
    this.#options = options
    const nowMicros = () => nowMillis() * 1000
    this.#steps = { sealing, keyOf: row => signed.keyOf(row) }
    this.#parents = new ParentChecks({
      ask: options.askParent,
      notify: options.notifyParent,
      nowMicros,
      keyOf: this.#steps.keyOf,
    })
    this.rolls = new KeyRolls({
      ...{ ...this.#steps, store, nowMicros, onFailed, parents: this.#parents },
      servesKeys: zone => signed.servesKeys(zone),
      resign: zone => signed.resign(zone),
    })
    signed.onSigned = zoneId => void this.#noteSigned(zoneId)
    signed.onResigned = zoneId => void this.#raiseSerial(zoneId)
  }

  /** @throws ApiError zone_not_found */
  get(caller: Caller, zoneId: string): DnssecState {
    return this.#stateOf(getZone(this.#options.store, caller, zoneId))
  }

  /** When the first signature made here expires, in seconds; undefined where there is none, or that is not known yet. */
  get nearestExpiration(): number | undefined {
    return this.#options.signed.nearestExpiration()
  }

  statusOf(zone: Zone): DnssecStatus {
    return statusOf(this.#options.store, zone)
  }

  /** Signs a zone, or changes how it is signed: another policy rolls its keys. Omitted fields stay as they are. A zone that is
   *  going insecure stays signed.
   *  @throws ApiError zone_not_found, dnssec_policy_not_found; forbidden also where others' zones are to be signalled; bad_request it is
   *  a SECONDARY, was signed elsewhere, or has what would not be valid if it were signed; over_quota its project has as many signed
   *  zones as it may, or its keys were rolled too often today */
  async enable(caller: Caller, zoneId: string, draft: DnssecDraft): Promise<DnssecState> {
    const { policyId, parentServers } = draft
    // A reader of this zone sees which zones are signalled, of any project.
    if (draft.signalsChildren !== undefined) requireAllowed(caller, 'manage_dnssec_policies')
    if (policyId !== undefined) await this.#noteEarlyDs(caller, zoneId)
    const enabled = await this.#options.store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      const before = zone.dnssec ?? { policy: 'default', signedAt: null }
      if (zone.dnssec === undefined) {
        requireSignable(tx, zone)
        requireRoomForSignedZone(tx, zone.projectId)
      }
      const { isLeaving, parentServers: hosts, signalsChildren: signals = false, ...kept } = before
      const isOther = isLeaving === true || (policyId ?? kept.policy) !== kept.policy
      const namedBy = isAllowed(caller, 'use_any_masters')
        ? ('operator' as const)
        : ('project' as const)
      const given = parentServers?.length === 0 ? undefined : parentServers
      const servers = parentServers === undefined ? hosts : given && { hosts: given, namedBy }
      const dnssec: ZoneDnssec = {
        ...kept,
        policy: getPolicy(tx, policyId ?? kept.policy).id,
        ...(servers && { parentServers: servers }),
        ...((draft.signalsChildren ?? signals) && { signalsChildren: true }),
        ...(isOther && { rolls: countedRoll(kept, tx.atMicros) }),
      }
      const changed = tx.put('zones', changedRow(tx, zone, { dnssec }))
      stepKeys(tx, changed, this.#steps)
      return changed
    })
    if (enabled.dnssec?.signedAt) this.#followDenial(enabled)
    return this.#after(caller, zoneId)
  }

  /** Makes a zone insecure: its DS are removed first, and its signatures once no cache has the DS any more.
   *  @param force at once, although with a DS left no validating resolver could resolve it
   *  @returns undefined if it is unsigned now
   *  @throws ApiError zone_not_found, forbidden */
  async disable(caller: Caller, zoneId: string, force: boolean): Promise<DnssecState | undefined> {
    if (!force) await this.#noteEarlyDs(caller, zoneId)
    await this.#options.store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      const { dnssec } = zone
      if (dnssec === undefined) {
        for (const { id } of keysOf(tx, zoneId)) tx.delete('dnssecKeys', id)
      } else if (force || dnssec.signedAt === null) unsign(tx, zone)
      else {
        const changed = changedRow(tx, zone, { dnssec: { ...dnssec, isLeaving: true } })
        tx.put('zones', changed)
        stepKeys(tx, changed, this.#steps)
      }
    })
    const state = this.#after(caller, zoneId)
    return state.status === 'UNSIGNING' ? state : undefined
  }

  /** Signs a restored zone with the keys that it had, and puts its DS into the parent if that is on this server.
   *  @throws ApiError over_quota; bad_request there are zones below it that it does not delegate, or a key cannot be read */
  restoreKeys(tx: Transaction, zone: Zone, keys: readonly StoredDnssecKey[]): Zone {
    requireDelegatedChildren(tx, zone)
    requireRoomForSignedZone(tx, zone.projectId)
    return putRestoredKeys(tx, zone, { keys, keyOf: this.#steps.keyOf })
  }

  /** Replaces the keys of a role.
   *  @throws ApiError zone_not_found, forbidden; bad_request its policy has no such keys, or an earlier roll is not over;
   *  over_quota */
  async roll(caller: Caller, zoneId: string, role: KeyRole): Promise<DnssecState> {
    await this.#noteEarlyDs(caller, zoneId)
    await this.#options.store.commit(tx => {
      const { zone, dnssec } = getSigned(tx, caller, zoneId)
      const roles = wantedKeys(getPolicy(tx, dnssec.policy)).map(want => want.role)
      if (!roles.includes(role)) {
        const message = `The policy of the zone has no ${role}, but ${roles.join(' and ')}`
        throw new ApiError('bad_request', message)
      }
      if (keysOf(tx, zoneId).some(key => key.goal === 'HIDDEN' && key.role === role)) {
        throw new ApiError('bad_request', `An earlier roll of the ${role} is not over yet`)
      }
      stepKeys(tx, putCountedRoll(tx, zone, dnssec), { ...this.#steps, retired: role })
    })
    return this.#after(caller, zoneId)
  }

  /** Signs all of a zone again, in the background; resolves as soon as that has started.
   *  @throws ApiError zone_not_found, forbidden; bad_request it is not signed; over_quota */
  async sign(caller: Caller, zoneId: string): Promise<DnssecState> {
    const zone = await this.#options.store.commit(tx => {
      const { zone, dnssec } = getSigned(tx, caller, zoneId)
      return putCountedRoll(tx, zone, dnssec)
    })
    void this.#options.signed.sign(zone)
    return this.#after(caller, zoneId)
  }

  /** Asks the parent now.
   *  @throws ApiError zone_not_found, forbidden; bad_request it is not signed */
  async checkParent(caller: Caller, zoneId: string): Promise<DnssecState> {
    getSigned(this.#options.store, caller, zoneId)
    await this.rolls.step(zoneId)
    return this.#after(caller, zoneId)
  }

  /** Confirms that all servers of the parent have the DS of a key, or that none has it any more.
   *  @throws ApiError zone_not_found, forbidden, dnssec_key_not_found; bad_request something else is waited for */
  async confirmDs(
    caller: Caller,
    zoneId: string,
    { keyId, isPresent }: { readonly keyId: string; readonly isPresent: boolean },
  ): Promise<DnssecState> {
    await this.#options.store.commit(tx => {
      const { zone } = getSigned(tx, caller, zoneId)
      const key = getKey(tx, zoneId, keyId)
      const { ds } = key
      const isAwaited = ds !== null && isPending(ds) && isServed(ds) === isPresent
      if (!isAwaited) {
        const message = `The zone does not wait for a DS of the key to ${isPresent ? 'come' : 'go'}`
        throw new ApiError('bad_request', message)
      }
      noteParent(tx, zone, { keyIds: [keyId] })
    })
    return this.#after(caller, zoneId)
  }

  /** Renews the signatures that expire soon, and completes what an earlier run left unfinished. Zones whose policy requires
   *  another kind of denial get it. */
  async renew(): Promise<void> {
    const { store, signed } = this.#options
    for (const id of await signed.renewSignatures()) {
      if (this.#options.duty.isHeld) await this.#raiseSerial(id)
      // The SOA has a new signature, so another signature may be the first to expire now.
      const zone = store.get('zones', id)
      if (zone !== undefined) await signed.resign(zone)
    }
    for (const zone of [...store.list('zones', 'signed', everything)]) this.#followDenial(zone)
    const { nowMillis } = this.#options
    const nearestExpiration = (zoneId: string) => signed.nearestExpiration(zoneId)
    if (this.#options.duty.isHeld) await noteExpiring({ store, nowMillis, nearestExpiration })
  }

  /** Makes zones follow a policy that requires another kind of denial, and forgets those that are no longer signed. To be called with
   *  each commit once it is served. */
  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    for (const { collection, id, before, after } of rowChanges) {
      if (collection === 'zones' && after?.dnssec === undefined) this.rolls.wake(id)
      if (collection !== 'dnssecPolicies' || before === undefined) continue
      const zones = [...this.#options.store.list('zones', 'byDnssecPolicy', id)]
      for (const zone of zones) this.#followDenial(zone)
    }
  }

  /** One complete chain replaces the other with a new serial, so that every answer validates. */
  #followDenial(zone: Zone): void {
    const { store, signed } = this.#options
    const present = signed.denialOf(zone)
    if (zone.dnssec === undefined || present === undefined) return
    const { denial: wanted = 'NSEC' } = getPolicy(store, zone.dnssec.policy)
    if (present !== wanted) void signed.sign(zone)
  }

  /** Secondaries fetch new signatures only when the serial is another. */
  async #raiseSerial(zoneId: string): Promise<void> {
    await this.#change(zoneId, (tx, zone) => {
      if (zone.dnssec?.signedAt) advanceZone(tx, zone)
    })
  }

  /** To be called before keys go. The DS of a key can be seen before the zone asks for it, and be given to the parent then:
   *  without that key the zone would not resolve.
   *  @throws ApiError zone_not_found, forbidden */
  async #noteEarlyDs(caller: Caller, zoneId: string): Promise<void> {
    const { store } = this.#options
    const zone = getChangeableZone(store, caller, zoneId)
    if (!zone.dnssec?.signedAt || findHostedParent(store, zone)) return
    const early = await this.#parents.withEarlyDs(zone, keysOf(store, zoneId))
    if (early.length === 0) return
    const ids = early.map(({ id }) => id)
    await store.commit(tx => {
      const ds = introduced(tx.atMicros)
      for (const key of keysOf(tx, zoneId)) {
        if (ids.includes(key.id) && key.ds?.state === 'HIDDEN')
          tx.put('dnssecKeys', changedRow(tx, key, { ds }))
      }
    })
  }

  #after(caller: Caller, zoneId: string): DnssecState {
    this.rolls.wake(zoneId)
    return this.get(caller, zoneId)
  }

  /** Every node signs its own answers; only the node with the duty notes that a zone is signed. */
  async #noteSigned(zoneId: string): Promise<void> {
    if (!this.#options.duty.isHeld) return
    await this.#change(zoneId, (tx, zone) => {
      if (zone.dnssec === undefined || zone.isDeleting) return
      const dnssec = { ...zone.dnssec, signedAt: tx.atMicros }
      stepKeys(tx, advanceZone(tx, zone, { dnssec }), this.#steps)
    })
  }

  /** Changes a zone in the background. Never rejects. */
  async #change(zoneId: string, change: (tx: Transaction, zone: Zone) => void): Promise<void> {
    const { store, onFailed } = this.#options
    try {
      await store.commit(tx => {
        const zone = tx.get('zones', zoneId)
        if (zone !== undefined) change(tx, zone)
      })
    } catch (error) {
      onFailed(zoneId, error)
    }
  }

  #stateOf(zone: Zone): DnssecState {
    const { store } = this.#options
    const rows = keysOf(store, zone.id)
    const keys = rows.map(row => ({ row, dnskey: this.#steps.keyOf(row).dnskeyText() }))
    const entries = rows.filter(({ ds, goal }) => ds !== null && goal === 'OMNIPRESENT')
    const policy = zone.dnssec && getPolicy(store, zone.dnssec.policy)
    return {
      zone,
      status: statusOf(store, zone),
      denial: policy && (this.#options.signed.denialOf(zone) ?? policy.denial ?? 'NSEC'),
      nearestExpiration: this.#options.signed.nearestExpiration(zone.id),
      keys,
      ds: policy === undefined ? [] : dsTextsOf(zone, entries.map(this.#steps.keyOf), policy),
      isDsAsked: rows.some(({ ds }) => ds !== null && isPending(ds)),
      parent: {
        hosted: zone.dnssec && findHostedParent(store, zone),
        report: this.#parents.get(zone.id),
        notification: this.#parents.notificationOf(zone.id),
        signalledAt: zone.dnssec === undefined ? [] : signalledNamesOf(store, zone),
        foreignDs: this.#parents.foreignDs(zone, rows),
        followersOf: row => this.#parents.followersOf(zone, row),
      },
    }
  }
}

function statusOf(reader: StoreReader, zone: Zone): DnssecStatus {
  const { dnssec } = zone
  if (dnssec?.signedAt === null) return 'SIGNING'
  if (dnssec !== undefined) return dnssec.isLeaving === true ? 'UNSIGNING' : 'SIGNED'
  if (!isWrittenElsewhere(zone)) return 'UNSIGNED'
  return findAtApex(reader, zone, 'DNSKEY') ? 'PRESIGNED' : 'UNSIGNED'
}

/** @throws ApiError zone_not_found, forbidden; bad_request it is not signed */
function getSigned(
  reader: StoreReader,
  caller: Caller,
  zoneId: string,
): { readonly zone: Zone; readonly dnssec: ZoneDnssec } {
  const zone = getChangeableZone(reader, caller, zoneId)
  if (zone.dnssec?.signedAt) return { zone, dnssec: zone.dnssec }
  throw new ApiError('bad_request', 'The zone is not signed here')
}

/** Counts a roll of the keys of a zone.
 *  @throws ApiError over_quota */
export function putCountedRoll(tx: Transaction, zone: Zone, dnssec: ZoneDnssec): Zone {
  const rolls = countedRoll(dnssec, tx.atMicros)
  return tx.put('zones', changedRow(tx, zone, { dnssec: { ...dnssec, rolls } }))
}

/** @throws ApiError over_quota */
function countedRoll({ rolls }: ZoneDnssec, now: number): ZoneDnssec['rolls'] & object {
  const day = Math.floor(now / dayMicros)
  const count = rolls?.day === day ? rolls.count + 1 : 1
  if (count <= maxRollsADay) return { day, count }
  const message = `The keys of a zone are rolled at most ${maxRollsADay} times a day`
  throw new ApiError('over_quota', message)
}

/** @throws ApiError bad_request */
function requireSignable(tx: Transaction, zone: Zone): void {
  if (isWrittenElsewhere(zone)) {
    const message = 'The content of the zone is written elsewhere: it is to be signed there'
    throw new ApiError('bad_request', message)
  }
  for (const type of keyTypes) {
    if (findAtApex(tx, zone, type) === undefined) continue
    const message = `The zone has ${type} records of its own: delete them, the server makes those of its key`
    throw new ApiError('bad_request', message)
  }
  requireDelegatedChildren(tx, zone)
}

/** @throws ApiError bad_request */
function requireDelegatedChildren(tx: Transaction, zone: Zone): void {
  const children = undelegatedChildren(tx, zone)
  if (children.length === 0) return
  const named = children.slice(0, 5).map(({ name }) => quote(name))
  const message =
    'A signed zone proves that names without records do not exist, and there are zones below it that it does not ' +
    `delegate: create NS recordsets in it for ${named.join(', ')}`
  throw new ApiError('bad_request', message)
}
