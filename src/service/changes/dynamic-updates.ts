import { hash } from 'node:crypto'
import { type Actor, actingAs } from '../../actor.ts'
import { rcodes, types } from '../../dns/codes.ts'
import type { Name } from '../../dns/name.ts'
import { formatRdata, typeMnemonic } from '../../dns/rdata/index.ts'
import type { Hmac } from '../../dns/tsig-mac.ts'
import { signed } from '../../dns/tsig-signer.ts'
import { ApiError } from '../../errors.ts'
import { HeldOctets } from '../../held-octets.ts'
import { type Caller, ownCaller } from '../../identity/caller.ts'
import type { ChangeSet } from '../../model/change-set.ts'
import { blockListOf, isWithin, parseNetworks } from '../../model/network.ts'
import { ownerNameText } from '../../model/owner-name.ts'
import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import type { TsigKey } from '../../model/tsig-key.ts'
import { mayUpdate, permissionsOf } from '../../model/update-policy.ts'
import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { Semaphore } from '../../semaphore.ts'
import { keyOf } from '../../store/indexes.ts'
import type { EarlyWork, Store, StoreReader, Transaction } from '../../store/store.ts'
import { atOnce } from '../../time-slice.ts'
import type { Rrset } from '../../zone/rrset.ts'
import { soaNumbers } from '../../zone/soa.ts'
import {
  applyUpdate,
  judgePrerequisites,
  readUpdate,
  typesOfChange,
  type Update,
  type UpdateBasis,
  type UpdatedRrset,
  updateResponse,
} from '../../zone/update.ts'
import { advanceZone } from '../rules/zone-rows.ts'
import { writeLines } from './change-lines.ts'
import { responseSigner } from './response-signer.ts'
import { SharedMemo } from './shared-memo.ts'

/** A dynamic update as received; its TSIG, if it has one, is verified. */
export type UpdateRequest = {
  readonly octets: Uint8Array
  /** The apex of the zone to be updated, in lower case. */
  readonly apex: Name
  /** An IP literal. */
  readonly address: string
  /** Of the key that has signed it. */
  readonly keyId: string | undefined
  /** Whether it has an OPT. */
  readonly hasEdns: boolean
  readonly isPadded?: boolean | undefined
  readonly transport: 'udp' | 'tcp'
}

export type RefusedUpdate = {
  readonly zone: string
  readonly address: string
  /** Of the key that has signed it. Not `key`, which logs mask as a secret. */
  readonly keyName: string | undefined
  readonly reason: string
}

type DynamicUpdatesOptions = {
  readonly store: Store
  readonly hmac: Hmac
  /** Seconds since 1970. */
  readonly nowSeconds: () => number
  readonly minTtlSeconds?: number
  /** Called with updates that are answered REFUSED. The response has no room for the reason. */
  readonly onRefused: (refusal: RefusedUpdate) => void
  /** Called with errors of the server itself. */
  readonly onFailed: (zone: string, error: unknown) => void
}

/** How long an update repeated over UDP gets the former response, and how many responses are remembered. */
const rememberedSeconds = 30
const maxRemembered = 2000
/** Of updates, by project. Further ones get no response, and clients repeat them. */
const limits = {
  maxRunning: 1000,
  maxRunningPerKey: 250,
  // A client sends 16 at once on each TCP connection, which ends if one of them gets no response.
  maxWaiting: 4000,
  maxWaitingPerKey: 1000,
}
/** Octets of those, which may have 65,535 each. */
const heldBounds = { each: 16 * 1024 * 1024, all: 64 * 1024 * 1024 }

/** Sends a response; undefined: there is none. */
type Respond = (response: Uint8Array | undefined) => void

type Remembered = { readonly response: Promise<Uint8Array>; readonly untilSeconds: number }

/** Applies dynamic updates to zones (RFC 2136, RFC 3007): each is one commit and one serial, under the rules, quotas
 *  and checks of the API, and only where a rule of the zone permits it. */
export class DynamicUpdates {
  readonly #options: DynamicUpdatesOptions
  /** Responses to updates over UDP by project, and client and content: clients repeat an update without a response. */
  readonly #remembered = new SharedMemo<Remembered>(maxRemembered)
  readonly #running = new Semaphore(limits)
  readonly #heldOctets = new HeldOctets(heldBounds)

  constructor(options: DynamicUpdatesOptions) {
    this.#options = options
  }

  /** Responds once, with undefined where too many updates of the project are under way or waiting. Resolves when the update is
   *  done. */
  async handle(request: UpdateRequest, respond: Respond): Promise<void> {
    const { store, nowSeconds } = this.#options
    const now = nowSeconds()
    const key = request.transport === 'udp' ? repetitionKeyOf(request) : undefined
    const zone = zoneOf(store, request)
    const owner = zone?.projectId ?? ''
    const known = key && this.#remembered.get(owner, key)
    if (known && known.untilSeconds > now) return respond(await known.response)
    const held = this.#heldOctets.open(owner)
    if (!this.#running.accepts(zone?.projectId) || !held.hold(request.octets.length))
      return respond(undefined)
    const { promise, resolve } = Promise.withResolvers<Uint8Array>()
    const untilSeconds = now + rememberedSeconds
    if (key) this.#remembered.set(owner, key, { response: promise, untilSeconds })
    await this.#running
      .run(zone?.projectId, () =>
        this.#answer(request, zone, response => {
          resolve(response)
          respond(response)
        }),
      )
      .finally(held.release)
  }

  async #answer(
    request: UpdateRequest,
    zone: Zone | undefined,
    respond: (response: Uint8Array) => void,
  ): Promise<void> {
    let success: Uint8Array | undefined
    let isAnswered = false
    const rcode = await this.#rcodeOf(request, zone, {
      meanwhile: () => {
        success = this.#responseTo(request, rcodes.noError)
      },
      onServed: () => {
        if (success === undefined) return
        isAnswered = true
        respond(success)
      },
    })
    if (!isAnswered) respond(this.#responseTo(request, rcode))
  }

  async #rcodeOf(
    request: UpdateRequest,
    zone: Zone | undefined,
    early: EarlyWork,
  ): Promise<number> {
    const { store, onFailed } = this.#options
    // Before the update is parsed: a client that may change nothing costs no more than this.
    if (zone === undefined) return this.#refuse(request, strangerProblem(store, request))
    const key = keyOfZone(store, request, zone)
    const update = readUpdate(request.octets)
    if (typeof update === 'number') return update
    try {
      return await actingAs(actorOf(zone, request, key), () =>
        store.commit(tx => this.#write(tx, { request, update, zone }), early),
      )
    } catch (error) {
      if (error instanceof ApiError) return this.#refuse(request, apiProblem(error))
      if (error instanceof NotAllowedError) return this.#refuse(request, error.message)
      if (error instanceof UnmetError) return error.rcode
      if (store.readOnlyReason === undefined) onFailed(zone.name, error)
      return rcodes.servFail
    }
  }

  /** Reports why, for the operator's log. */
  #refuse({ apex, address, keyId = '' }: UpdateRequest, reason: string): number {
    const keyName = this.#options.store.get('tsigKeys', keyId)?.name
    this.#options.onRefused({ zone: ownerNameText(apex), address, keyName, reason })
    return rcodes.refused
  }

  /** @throws NotAllowedError, UnmetError, ApiError: nothing is done then */
  #write(
    tx: Transaction,
    { request, update, zone: { id } }: { request: UpdateRequest; update: Update; zone: Zone },
  ): number {
    const zone = tx.get('zones', id)
    const key = keyOfZone(tx, request, zone)
    if (zone === undefined || !isChangeable(zone)) throw new NotAllowedError(notChangeable)
    const rows = new ZoneRows(tx, zone)
    const rcode = judgePrerequisites(update, rows)
    if (rcode !== rcodes.noError) throw new UnmetError(rcode)
    requireAllowed(update, { zone, request, key, rows })
    const updated = applyUpdate(update, rows)
    if (updated.length === 0) return rcodes.noError
    const soa = updated.find(({ type }) => type === types.SOA)?.after
    const { minTtlSeconds } = this.#options
    const change = { caller: callerOf(zone, key), zone, minTtlSeconds }
    atOnce(writeLines(tx, change, changeSetOf(updated, rows, zone)))
    if (soa === undefined) advanceZone(tx, zone)
    else {
      const { serial, ...soaTimers } = soaNumbers(soa)
      advanceZone(tx, zone, { serial, soaTimers })
    }
    return rcodes.noError
  }

  /** Signed with the key of the request, if it has one. */
  #responseTo(request: UpdateRequest, rcode: number): Uint8Array {
    const { store, hmac, nowSeconds } = this.#options
    const signer = responseSigner(store, request, hmac)
    const response = updateResponse(request, rcode, signer?.usualOctets)
    return signer ? signed(response, signer, { nowSeconds: nowSeconds() }) : response
  }
}

function repetitionKeyOf({ address, octets }: UpdateRequest): string {
  return `${address} ${hash('sha256', octets, 'base64')}`
}

/** No rule allows it. */
class NotAllowedError extends Error {
  override readonly name = 'NotAllowedError'
}

/** A prerequisite is not met. */
class UnmetError extends Error {
  override readonly name = 'UnmetError'
  readonly rcode: number

  constructor(rcode: number) {
    super(`a prerequisite is answered with rcode ${rcode}`)
    this.rcode = rcode
  }
}

/** What the API says of the lines that it refuses; its message only says that there are such. */
function apiProblem({ message, fieldErrors }: ApiError): string {
  return fieldErrors.map(error => error.message).join('; ') || message
}

const notChangeable = 'the zone is changed elsewhere, or is being deleted or imported'

/** The recordsets of a zone, also as RRsets, as they are when they are first asked for. */
class ZoneRows implements UpdateBasis {
  readonly #reader: StoreReader
  readonly #zone: Zone
  readonly #rowsByOwner = new Map<Name, readonly Recordset[]>()
  readonly #rrsetsByOwner = new Map<Name, readonly Rrset[]>()

  constructor(reader: StoreReader, zone: Zone) {
    this.#reader = reader
    this.#zone = zone
  }

  rowsAt(owner: Name): readonly Recordset[] {
    const known = this.#rowsByOwner.get(owner)
    if (known !== undefined) return known
    const name = ownerNameText(owner).toLowerCase()
    const rows = [...this.#reader.list('recordsets', 'byOwner', keyOf(this.#zone.id, name))]
    this.#rowsByOwner.set(owner, rows)
    return rows
  }

  rrsetsAt(owner: Name): readonly Rrset[] {
    const known = this.#rrsetsByOwner.get(owner)
    if (known !== undefined) return known
    const rrsets = this.rowsAt(owner).flatMap(row => rrsetOf(row, this.#zone).rrset ?? [])
    this.#rrsetsByOwner.set(owner, rrsets)
    return rrsets
  }
}

/** The zone that a request is for; where several pools have a zone of this name, the one that the key or a rule is
 *  for. */
function zoneOf(reader: StoreReader, request: UpdateRequest): Zone | undefined {
  const zones = [...reader.list('zones', 'byLowerName', ownerNameText(request.apex).toLowerCase())]
  return zones.find(zone => isPartner(zone, request, keyOfZone(reader, request, zone)))
}

/** Why a request is for no zone that its sender may change. */
function strangerProblem(reader: StoreReader, request: UpdateRequest): string {
  const name = ownerNameText(request.apex).toLowerCase()
  const [zone] = reader.list('zones', 'byLowerName', name)
  if (zone === undefined) return 'there is no such zone'
  if (!isChangeable(zone)) return notChangeable
  if (request.keyId !== undefined && keyOfZone(reader, request, zone) === undefined)
    return 'the key was made for another zone or pool'
  if ((zone.updateRules ?? []).length === 0) return 'the zone has no update policy'
  const sender = request.keyId === undefined ? 'unsigned updates' : 'this key'
  return `no rule of the update policy is for ${sender} from this address`
}

/** The key that signed the request, if it is for this zone. */
function keyOfZone(
  reader: StoreReader,
  { keyId }: UpdateRequest,
  zone: Zone | undefined,
): TsigKey | undefined {
  const key = keyId === undefined ? undefined : reader.get('tsigKeys', keyId)
  const resourceId = key?.scope === 'ZONE' ? zone?.id : zone?.poolId
  return key?.resourceId === resourceId ? key : undefined
}

function isChangeable(zone: Zone): boolean {
  return !isWrittenElsewhere(zone) && !zone.isDeleting && zone.isImporting !== true
}

function isPartner(zone: Zone, request: UpdateRequest, key: TsigKey | undefined): boolean {
  const { updateRules = [] } = zone
  return isChangeable(zone) && mayUpdate(updateRules, { keyName: key?.name, ...from(request) })
}

/** @throws NotAllowedError */
function requireAllowed(
  { changes }: Update,
  {
    zone: { updateRules = [] },
    request,
    key,
    rows,
  }: { zone: Zone; request: UpdateRequest; key: TsigKey | undefined; rows: ZoneRows },
): void {
  const isAllowed = permissionsOf(updateRules, { keyName: key?.name, ...from(request) })
  const judged = new Set<string>()
  for (const record of changes) {
    const name = ownerNameText(record.owner)
    const change = `${record.type} ${name}`
    if (judged.has(change)) continue
    judged.add(change)
    for (const code of typesOfChange(record, rows)) {
      const type = typeMnemonic(code)
      if (!isAllowed(name, type))
        throw new NotAllowedError(`no rule of the update policy allows changes of ${name} ${type}`)
    }
  }
}

function from({ address }: UpdateRequest) {
  const [literal = ''] = address.split('%')
  return {
    isFrom: (text: string) => isWithin(blockListOf(parseNetworks([text]) ?? []), literal),
  }
}

function actorOf({ projectId }: Zone, { address }: UpdateRequest, key: TsigKey | undefined): Actor {
  return { road: 'update', projectId, address, ...(key && { key: key.name }) }
}

/** A client that a rule lets change a zone acts for its owner. */
function callerOf({ projectId }: Zone, key: TsigKey | undefined): Caller {
  const name = key === undefined ? 'dynamic update' : `dynamic update by ${key.name}`
  return ownCaller(name, projectId, ['member', 'reader'])
}

/** The differences as lines of a change set. A recordset that uses the zone's TTL still does where the TTL stays the
 *  same. */
function changeSetOf(updated: readonly UpdatedRrset[], rows: ZoneRows, zone: Zone): ChangeSet {
  const set = {
    create: [] as ChangeSet['create'][number][],
    replace: [] as ChangeSet['replace'][number][],
    delete: [] as ChangeSet['delete'][number][],
  }
  for (const { owner, type: code, after } of updated) {
    if (code === types.SOA) continue
    const type = typeMnemonic(code)
    const row = rows.rowsAt(owner).find(row => row.type === type)
    const records = after?.rdatas.map(rdata => formatRdata(code, rdata)) ?? []
    const ttlSeconds = after?.ttlSeconds ?? null
    const isZones = ttlSeconds === zone.ttlSeconds && (row?.ttlSeconds ?? null) === null
    if (row === undefined) {
      const name = ownerNameText(owner)
      set.create.push({ name, type, ttlSeconds, description: null, records })
    } else if (after === undefined) set.delete.push({ key: { id: row.id } })
    else {
      const patch = { records, ttlSeconds: isZones ? null : ttlSeconds }
      set.replace.push({ key: { id: row.id }, patch })
    }
  }
  return set
}
