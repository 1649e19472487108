import { types } from '../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name, parentName } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'
import type { OwnedRrset, Rrset } from '../zone/rrset.ts'
import { soaNumbers } from '../zone/soa.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { ChainPlan } from './chain-plan.ts'
import {
  type Denial,
  denialOf,
  nsec3Bitmap,
  nsec3BitmapOf,
  nsec3Chain,
  nsec3Owner,
  nsec3param,
  nsec3Rrset,
  nsecChain,
  nsecRrset,
} from './denial.ts'
import { apexKeyTypes, signatureFields, type ZoneKey } from './key.ts'
import { NamePresence } from './name-presence.ts'
import { isLasting, signatureTimes } from './policy.ts'
import { type SigningTerms, signersOf } from './signing-terms.ts'

/** The plan for one name: its edits, with its NSEC or NSEC3, and its RRsets to be signed. */
export type PlannedName = {
  readonly owner: Name
  readonly edits: readonly Edit[]
  /** RRSIG that stay. */
  readonly kept: readonly Uint8Array[]
  readonly toSign: readonly { readonly rrset: Rrset; readonly signer: ZoneKey }[]
  /** Whether its RRSIG change. */
  readonly isResigned: boolean
}

/** A signature to be made of one RRset. */
export type ToBeSigned = {
  readonly signer: ZoneKey
  readonly head: Buffer
  readonly data: Buffer
}

/** Plans how a zone of the table is signed after edits: which names enter or leave the chain of NSEC or NSEC3, which get
 *  another next name, and which RRsets have no signature, or none that is good for long enough. Names below a cut or a
 *  DNAME have neither (RFC 4035 section 2). A zone keeps the kind of chain it has. The plan itself changes nothing. */
export class SigningPlan {
  readonly #zone: TableZone
  readonly #terms: SigningTerms
  readonly #apex: Name
  readonly #denial: Denial
  readonly #chain: ChainPlan
  readonly #chainType: number
  /** The edits, by name in lower case and type. */
  readonly #edits = new Map<Name, Map<number, Edit>>()
  readonly #affected = new Set<Name>()
  readonly #data = new Map<Name, readonly OwnedRrset[]>()
  /** The name of each owner of an NSEC3. */
  readonly #hashed = new Map<Name, Name>()
  readonly #presence: NamePresence
  readonly #uncovered: ReadonlySet<Name>
  #linkTtlSeconds = 0
  #expireSeconds = 0

  /** @param uncovered cuts and DNAMEs that hide nothing any more */
  constructor(
    zone: TableZone,
    edits: Iterable<Edit>,
    terms: SigningTerms,
    uncovered: ReadonlySet<Name> = new Set(),
  ) {
    this.#zone = zone
    this.#terms = terms
    this.#uncovered = uncovered
    this.#apex = zone.apex
    const present = denialOf(zone)
    this.#denial = present ?? terms.denial
    const kind = this.#denial === 'NSEC' ? nsecChain : nsec3Chain
    this.#chainType = kind.type
    this.#chain = new ChainPlan(zone, kind, present !== undefined)
    this.#presence = new NamePresence(zone, name => this.#dataAt(name).length > 0)
    for (const edit of edits) this.#put(edit)
  }

  /** Yields the plan for each name, and undefined where other work may run: the zone must not change meanwhile, except by
   *  this plan where it had no chain.
   *  @param names further names to check besides those with edits */
  *names(names: Iterable<Name> = []): Generator<PlannedName | undefined> {
    this.#putApexTypes()
    const planned = new Set<Name>()
    yield* this.#spread(names, planned)
    if (this.#isHashed) {
      this.#presence.settle(this.#edits.keys())
      for (const name of this.#presence.changed()) this.#affected.add(name)
    }
    for (const name of this.#affected) {
      const owner = this.#link(name)
      // A link may omit a type that exists, but a link with a removed type would prove nothing.
      for (const next of this.#onlyLoses(name) ? [owner, name] : [name, owner]) planned.add(next)
      yield undefined
    }
    for (const owner of this.#chain.relinked()) {
      planned.add(owner)
      yield undefined
    }
    for (const owner of planned) yield this.#plan(owner)
  }

  /** The signatures that a name needs, by its plan, which `names` has yielded.
   *  @param isSpread whether the ends of signatures are spread */
  toBeSigned({ owner, toSign }: PlannedName, { isSpread = false } = {}): ToBeSigned[] {
    const spread = isSpread ? owner : undefined
    const times = signatureTimes(this.#terms.nowSeconds, this.#expireSeconds, spread)
    return toSign.map(({ rrset, signer }) => {
      return { signer, ...signer.toBeSigned(this.#apex, { owner, rrset, times }) }
    })
  }

  /** Names that hide the names below them before the edits but not after them. */
  uncovered(): Name[] {
    return [...this.#edits.keys()].filter(
      name => this.#changesBarrier(name) && !this.#isBarrier(name),
    )
  }

  get #isHashed(): boolean {
    return this.#chainType === types.NSEC3
  }

  #put(edit: Edit): void {
    const name = lowerCaseName(edit.owner)
    const ofName = this.#edits.get(name) ?? new Map<number, Edit>()
    ofName.delete(edit.type)
    this.#edits.set(name, ofName.set(edit.type, edit))
    this.#affected.add(name)
  }

  /** Adds the edits for the zone's keys and kind of denial, and derives the times from its SOA. */
  #putApexTypes(): void {
    const owner = this.#apex
    const rrsets = [...this.#terms.apexRrsets, ...(this.#isHashed ? [nsec3param()] : [])]
    for (const type of [...apexKeyTypes, types.NSEC3PARAM]) {
      const wanted = rrsets.find(rrset => rrset.type === type)
      const present = this.#zone.findRrset(owner, type)
      const isEdited = this.#edits.get(owner)?.has(type) ?? false
      if (!isEdited && isSameOrNone(present, wanted)) continue
      const given = this.#ownerOf(owner)
      const rrset = wanted && { owner: given, ...wanted }
      this.#put({ recordsetId: '', owner: given, type, rrset })
    }
    const soa = this.#dataAt(owner).find(({ type }) => type === types.SOA)
    if (soa === undefined) return
    const { minimumSeconds, expireSeconds } = soaNumbers(soa)
    this.#linkTtlSeconds = Math.min(minimumSeconds, soa.ttlSeconds)
    this.#expireSeconds = expireSeconds
  }

  /** Finds all names that edits make visible or hide, besides the given ones.
   *  @param planned receives those of them that are owners of NSEC3 */
  *#spread(names: Iterable<Name>, planned: Set<Name>): Generator<undefined> {
    for (const name of names) {
      const isHash = this.#isHashed && this.#zone.findRrset(name, types.NSEC3) !== undefined
      if (isHash) planned.add(name)
      if (!isHash || this.#zone.givenName(name) !== undefined) this.#affected.add(name)
      yield undefined
    }
    const linkOwner = this.#isHashed ? nsec3Owner(this.#apex, this.#apex) : this.#apex
    const link = this.#zone.findRrset(linkOwner, this.#chainType)
    const hasNewTtl = link !== undefined && link.ttlSeconds !== this.#linkTtlSeconds
    const barriers = [...this.#edits.keys()].filter(name => this.#changesBarrier(name))
    // The barriers themselves have edits.
    const others = hasNewTtl ? this.#zone.names() : namesBelow(this.#zone, barriers)
    for (const name of others) this.#affected.add(name)
  }

  #changesBarrier(name: Name): boolean {
    if (name === this.#apex && !this.#edits.get(name)?.has(types.DNAME)) return false
    if (!this.#zone.hasNamesBelow(name)) return false
    const was = this.#zone.rrsetsAt(name).some(({ type }) => isBarrier(type, name === this.#apex))
    return was !== this.#isBarrier(name)
  }

  #onlyLoses(name: Name): boolean {
    const edits = [...(this.#edits.get(name)?.values() ?? [])]
    return edits.length > 0 && edits.every(({ rrset }) => rrset === undefined)
  }

  /** Notes whether a name has a link of the chain afterwards; returns the link's owner. */
  #link(name: Name): Name {
    if (!this.#isHashed) {
      this.#chain.note(name, this.#ownAt(name).length > 0)
      return name
    }
    const owner = nsec3Owner(name, this.#apex)
    this.#hashed.set(owner, name)
    this.#chain.note(owner, this.#hasNsec3(name))
    return owner
  }

  /** Each name that the zone is authoritative for has a link, empty non-terminals included; with opt-out, cuts without DS
   *  have none (RFC 5155 section 7.1). */
  #hasNsec3(name: Name): boolean {
    if (!this.#presence.isThere(name) || this.#isOccluded(name)) return false
    if (this.#denial !== 'NSEC3_OPT_OUT') return true
    const data = this.#dataAt(name)
    return !isCut(data, name === this.#apex) || hasType(data, types.DS)
  }

  #plan(name: Name): PlannedName {
    const owner = this.#ownerOf(name)
    const edits = [...(this.#edits.get(name)?.values() ?? [])]
    const own = this.#ownAt(name)
    const link = this.#linkAt(name, own)
    const present = this.#zone.findRrset(name, this.#chainType)
    if (!isSameOrNone(present, link)) {
      const rrset = link && { owner, ...link }
      const of = this.#hashed.get(name)
      const cause = of === undefined ? undefined : { of: this.#presence.causeOf(of) }
      edits.push({ recordsetId: '', owner, type: this.#chainType, rrset, ...cause })
    }
    const signed = this.#signedOf(name, own)
    const signatures = this.#zone.findRrset(name, types.RRSIG)?.rdatas ?? []
    const parts = [...signed, ...(link === undefined ? [] : [link])].flatMap(rrset =>
      signersOf(this.#terms, rrset.type).map(signer => {
        return { rrset, signer, kept: this.#goodSignature(name, { rrset, signer, signatures }) }
      }),
    )
    const toSign = parts.filter(({ kept }) => kept === undefined)
    const good = parts.flatMap(({ kept }) => kept ?? [])
    const isResigned = toSign.length > 0 || good.length !== signatures.length
    return { owner, edits, kept: good, toSign, isResigned }
  }

  /** The NSEC of a name, or the NSEC3 that it owns, after the edits. */
  #linkAt(owner: Name, own: readonly OwnedRrset[]): Rrset | undefined {
    const ttlSeconds = this.#linkTtlSeconds
    if (!this.#isHashed) {
      if (own.length === 0) return undefined
      return nsecRrset(this.#chain.after(owner), ownTypes(own), ttlSeconds)
    }
    const name = this.#hashed.get(owner)
    if (name !== undefined && !this.#hasNsec3(name)) return undefined
    const [present] = this.#zone.findRrset(owner, types.NSEC3)?.rdatas ?? []
    if (name === undefined && present === undefined) return undefined
    const bitmap = name === undefined ? nsec3Bitmap(present as Uint8Array) : this.#bitmapOf(name)
    return nsec3Rrset(this.#chain.after(owner), bitmap, { ttlSeconds, denial: this.#denial })
  }

  #bitmapOf(name: Name): Uint8Array {
    const own = this.#ownAt(name)
    return nsec3BitmapOf(ownTypes(own), this.#signedOf(name, own).length > 0)
  }

  /** The RRSIG that covers an RRset, by one key, unless it has to be renewed. */
  #goodSignature(
    name: Name,
    {
      rrset,
      signer,
      signatures,
    }: {
      readonly rrset: Rrset
      readonly signer: ZoneKey
      readonly signatures: readonly Uint8Array[]
    },
  ): Uint8Array | undefined {
    const present = this.#zone.findRrset(name, rrset.type)
    if (present === undefined || !isSame(present, rrset)) return undefined
    const { nowSeconds } = this.#terms
    return signatures.find(signature => {
      const fields = signatureFields(signature)
      const isOfRrset = fields.covered === rrset.type && fields.ttlSeconds === rrset.ttlSeconds
      const isKept = isLasting(fields, nowSeconds, this.#expireSeconds)
      return isOfRrset && signer.hasMade(signature) && isKept
    })
  }

  /** The data of a name that the zone speaks for after the edits: of a cut NS and DS, of names below it nothing. */
  #ownAt(name: Name): readonly OwnedRrset[] {
    const data = this.#dataAt(name)
    if (data.length === 0 || this.#isOccluded(name)) return []
    if (!isCut(data, name === this.#apex)) return data
    return data.filter(({ type }) => type === types.NS || type === types.DS)
  }

  /** The signed part of it: of a cut its DS. */
  #signedOf(name: Name, own: readonly OwnedRrset[]): OwnedRrset[] {
    const isAtCut = isCut(own, name === this.#apex)
    return own.filter(({ type }) => (isAtCut ? type === types.DS : type !== types.ALIAS))
  }

  #isOccluded(name: Name): boolean {
    for (let above = name; above !== this.#apex; ) {
      above = parentName(above)
      if (!this.#uncovered.has(above) && this.#isBarrier(above)) return true
    }
    return false
  }

  #isBarrier(name: Name): boolean {
    return this.#dataAt(name).some(({ type }) => isBarrier(type, name === this.#apex))
  }

  /** The RRsets of a name after the edits, without the chain and RRSIG. */
  #dataAt(name: Name): readonly OwnedRrset[] {
    const known = this.#data.get(name)
    if (known !== undefined) return known
    const byType = new Map<number, OwnedRrset>()
    for (const rrset of this.#zone.rrsetsAt(name)) {
      if (!madeTypes.has(rrset.type)) byType.set(rrset.type, { owner: name, ...rrset })
    }
    const edits = this.#edits.get(name)
    for (const { type, rrset } of edits?.values() ?? []) {
      if (rrset === undefined) byType.delete(type)
      else byType.set(type, rrset)
    }
    const data = [...byType.values()]
    // Names that are looked at only once are not kept.
    if (edits !== undefined || data.some(({ type }) => isBarrier(type, false))) {
      this.#data.set(name, data)
    }
    return data
  }

  #ownerOf(name: Name): Name {
    const edits = [...(this.#edits.get(name)?.values() ?? [])]
    const given = edits.find(({ rrset }) => rrset !== undefined)?.owner
    return given ?? this.#zone.givenName(name) ?? name
  }
}

const madeTypes: ReadonlySet<number> = new Set([types.RRSIG, types.NSEC, types.NSEC3])

/** The names of a zone below any of some names. O(names of the zone), but nothing without tops. */
export function* namesBelow(zone: TableZone, tops: readonly Name[]): Generator<Name> {
  if (tops.length === 0) return
  for (const name of zone.names()) {
    if (tops.some(top => name !== top && isAtOrBelow(name, top))) yield name
  }
}

/** An ALIAS is internal: its name is in the chain, and the addresses beside it are signed. */
function ownTypes(rrsets: readonly Rrset[]): number[] {
  return rrsets.map(({ type }) => type).filter(type => type !== types.ALIAS)
}

function hasType(rrsets: readonly Rrset[], type: number): boolean {
  return rrsets.some(rrset => rrset.type === type)
}

function isCut(rrsets: readonly Rrset[], isApex: boolean): boolean {
  return !isApex && hasType(rrsets, types.NS)
}

function isBarrier(type: number, isApex: boolean): boolean {
  return type === types.DNAME || (type === types.NS && !isApex)
}

function isSameOrNone(one: Rrset | undefined, other: Rrset | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSame(one, other)
}

function isSame(one: Rrset, other: Rrset): boolean {
  if (one.ttlSeconds !== other.ttlSeconds || one.rdatas.length !== other.rdatas.length) return false
  const [left, right] = [one, other].map(({ rdatas }) => rdatas.toSorted(Buffer.compare))
  return left?.every((rdata, i) => Buffer.compare(rdata, right?.[i] as Uint8Array) === 0) ?? false
}
