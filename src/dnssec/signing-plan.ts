import { types } from '../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name, nameFromOctets, parentName } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'
import type { OwnedRrset, Rrset } from '../zone/rrset.ts'
import { soaNumbers } from '../zone/soa.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { canonicalKey } from './canonical.ts'
import { apexKeyTypes, signatureFields, type ZoneKey } from './key.ts'
import { refreshSeconds } from './policy.ts'
import { type SigningTerms, signersOf } from './signing-terms.ts'
import { nsecRrset } from './type-bitmap.ts'

/** What becomes of one name: its edits, with its NSEC, and what is to be signed of it. */
export type PlannedName = {
  readonly owner: Name
  readonly edits: readonly Edit[]
  /** RRSIG that stay. */
  readonly kept: readonly Uint8Array[]
  readonly toSign: readonly { readonly rrset: Rrset; readonly signer: ZoneKey }[]
  /** Whether its RRSIG are others afterwards. */
  readonly isResigned: boolean
}

/** Plans how a zone of the table is signed after edits: which names enter the chain of NSEC and which leave it, whose next
 *  name is another, and what has no signature, or none that is good for long enough. Names below a cut or a DNAME have
 *  neither (RFC 4035 section 2). Nothing is changed. */
export class SigningPlan {
  readonly #zone: TableZone
  readonly #terms: SigningTerms
  readonly #apex: Name
  /** What is edited, by name in lower case and type. */
  readonly #edits = new Map<Name, Map<number, Edit>>()
  readonly #affected = new Set<Name>()
  readonly #data = new Map<Name, readonly OwnedRrset[]>()
  readonly #coming = new Set<Name>()
  readonly #comingKeys: { readonly key: string; readonly name: Name }[] = []
  readonly #going = new Set<Name>()
  #nsecTtlSeconds = 0
  #refreshSeconds = 0
  /** Whether there are names with an NSEC beforehand. */
  readonly #hasChain: boolean

  constructor(zone: TableZone, edits: Iterable<Edit>, terms: SigningTerms) {
    this.#zone = zone
    this.#terms = terms
    this.#apex = zone.apex
    this.#hasChain = zone.findRrset(this.#apex, types.NSEC) !== undefined
    for (const edit of edits) this.#put(edit)
  }

  /** Yields what becomes of each name, and undefined where others may have their turn: the zone must not change meanwhile,
   *  but for this where it had no NSEC.
   *  @param names those that are looked at besides those with edits */
  *names(names: Iterable<Name> = []): Generator<PlannedName | undefined> {
    this.#putApexKeys()
    yield* this.#spread(names)
    for (const name of this.#affected) {
      this.#settle(name)
      yield undefined
    }
    this.#comingKeys.sort((one, other) => (one.key < other.key ? -1 : 1))
    const linked = new Set(this.#affected)
    for (const name of this.#hasChain ? [...this.#coming, ...this.#going] : []) {
      const before = this.#before(name)
      if (before !== undefined) linked.add(before)
      yield undefined
    }
    for (const name of linked) yield this.#plan(name)
  }

  #put(edit: Edit): void {
    const name = lowerCaseName(edit.owner)
    const ofName = this.#edits.get(name) ?? new Map<number, Edit>()
    ofName.delete(edit.type)
    this.#edits.set(name, ofName.set(edit.type, edit))
    this.#affected.add(name)
  }

  /** The keys of the zone, and what follows from its SOA. */
  #putApexKeys(): void {
    const owner = this.#apex
    for (const type of apexKeyTypes) {
      const wanted = this.#terms.apexRrsets.find(rrset => rrset.type === type)
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
    this.#nsecTtlSeconds = Math.min(minimumSeconds, soa.ttlSeconds)
    this.#refreshSeconds = refreshSeconds(expireSeconds)
  }

  /** Finds all names that edits make visible or hide. */
  *#spread(names: Iterable<Name>): Generator<undefined> {
    for (const name of names) {
      this.#affected.add(name)
      yield undefined
    }
    const nsec = this.#zone.findRrset(this.#apex, types.NSEC)
    const hasNewTtl = nsec !== undefined && nsec.ttlSeconds !== this.#nsecTtlSeconds
    const barriers = [...this.#edits.keys()].filter(name => this.#changesBarrier(name))
    if (!hasNewTtl && barriers.length === 0) return
    for (const name of this.#zone.names()) {
      if (hasNewTtl || barriers.some(barrier => isAtOrBelow(name, barrier)))
        this.#affected.add(name)
    }
  }

  #changesBarrier(name: Name): boolean {
    if (name === this.#apex && !this.#edits.get(name)?.has(types.DNAME)) return false
    if (!this.#zone.hasNamesBelow(name)) return false
    const was = this.#zone.rrsetsAt(name).some(({ type }) => isBarrier(type, name === this.#apex))
    return was !== this.#isBarrier(name)
  }

  #settle(name: Name): void {
    const isLinked = this.#zone.findRrset(name, types.NSEC) !== undefined
    const belongs = this.#isOfChain(name)
    if (belongs && !isLinked) {
      this.#coming.add(name)
      this.#comingKeys.push({ key: canonicalKey(name), name })
    } else if (!belongs && isLinked) this.#going.add(name)
  }

  #plan(name: Name): PlannedName {
    const owner = this.#ownerOf(name)
    const edits = [...(this.#edits.get(name)?.values() ?? [])]
    const signatures = this.#zone.findRrset(name, types.RRSIG)?.rdatas ?? []
    const nsec = this.#zone.findRrset(name, types.NSEC)
    const edit = { recordsetId: '', owner }
    if (!this.#isOfChain(name)) {
      if (nsec !== undefined) edits.push({ ...edit, type: types.NSEC, rrset: undefined })
      return { owner, edits, kept: [], toSign: [], isResigned: signatures.length > 0 }
    }
    const data = this.#dataAt(name)
    const isCut = name !== this.#apex && data.some(({ type }) => type === types.NS)
    // An ALIAS is for nobody else: its name is in the chain, and the addresses beside it are signed.
    const own = data.filter(({ type }) =>
      isCut ? type === types.NS || type === types.DS : type !== types.ALIAS,
    )
    const ownTypes = own.map(({ type }) => type)
    const link = nsecRrset(this.#after(name), ownTypes, this.#nsecTtlSeconds)
    if (nsec === undefined || !isSame(nsec, link)) {
      edits.push({ ...edit, type: types.NSEC, rrset: { owner, ...link } })
    }
    const signed = [...own.filter(({ type }) => !isCut || type === types.DS), link]
    const parts = signed.flatMap(rrset =>
      signersOf(this.#terms, rrset.type).map(signer => {
        return { rrset, signer, kept: this.#goodSignature(name, { rrset, signer, signatures }) }
      }),
    )
    const toSign = parts.filter(({ kept }) => kept === undefined)
    const good = parts.flatMap(({ kept }) => kept ?? [])
    const isResigned = toSign.length > 0 || good.length !== signatures.length
    return { owner, edits, kept: good, toSign, isResigned }
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
    const least = this.#terms.nowSeconds + this.#refreshSeconds
    return signatures.find(signature => {
      const { covered, ttlSeconds, expiration } = signatureFields(signature)
      const isOfRrset = covered === rrset.type && ttlSeconds === rrset.ttlSeconds
      return isOfRrset && signer.hasMade(signature) && expiration > least
    })
  }

  /** Whether a name has an NSEC afterwards: it has data, and the zone speaks for it. */
  #isOfChain(name: Name): boolean {
    if (this.#dataAt(name).length === 0) return false
    for (let above = name; above !== this.#apex; ) {
      above = parentName(above)
      if (this.#isBarrier(above)) return false
    }
    return true
  }

  #isBarrier(name: Name): boolean {
    return this.#dataAt(name).some(({ type }) => isBarrier(type, name === this.#apex))
  }

  /** What a name has afterwards, but for NSEC and RRSIG. */
  #dataAt(name: Name): readonly OwnedRrset[] {
    const known = this.#data.get(name)
    if (known !== undefined) return known
    const byType = new Map<number, OwnedRrset>()
    for (const rrset of this.#zone.rrsetsAt(name)) {
      if (rrset.type === types.RRSIG || rrset.type === types.NSEC) continue
      byType.set(rrset.type, { owner: name, ...rrset })
    }
    const edits = this.#edits.get(name)
    for (const { type, rrset } of edits?.values() ?? []) {
      if (rrset === undefined) byType.delete(type)
      else byType.set(type, rrset)
    }
    const data = [...byType.values()]
    // Of those that are looked at once nothing is kept.
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

  /** The name in front of one in the chain as it is afterwards. */
  #before(name: Name): Name | undefined {
    let linked = this.#zone.nsecOwnerBefore(name)
    while (linked !== undefined && this.#going.has(linked))
      linked = this.#zone.nsecOwnerBefore(linked)
    const coming = this.#comingKeys[this.#firstComingFrom(canonicalKey(name)) - 1]
    if (coming === undefined) return linked
    if (linked === undefined || canonicalKey(linked) < coming.key) return coming.name
    return linked
  }

  /** The name behind one in the chain as it is afterwards, in lower case; the apex behind the last. */
  #after(name: Name): Name {
    const key = canonicalKey(name)
    let at = this.#firstComingFrom(key)
    if (this.#comingKeys[at]?.key === key) at += 1
    const coming = this.#comingKeys[at]
    const linked = this.#hasChain ? this.#linkedAfter(name) : undefined
    if (coming === undefined) return linked ?? this.#apex
    const isNearer = linked === undefined || coming.key < canonicalKey(linked)
    return isNearer ? coming.name : linked
  }

  /** The same among those that have an NSEC already. */
  #linkedAfter(name: Name): Name | undefined {
    const has = (owner: Name) => this.#zone.findRrset(owner, types.NSEC)
    const before = this.#zone.nsecOwnerBefore(name)
    let link = has(name) ?? (before === undefined ? undefined : has(before))
    while (link !== undefined) {
      const next = lowerCaseName(nameFromOctets(link.rdatas[0] as Uint8Array, 0))
      if (next === this.#apex) return undefined
      if (!this.#going.has(next)) return next
      link = has(next)
    }
    return undefined
  }

  #firstComingFrom(key: string): number {
    let low = 0
    let high = this.#comingKeys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#comingKeys[middle]?.key ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
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
