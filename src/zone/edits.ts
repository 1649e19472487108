import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name, nameFromOctets, parentName } from '../dns/name.ts'
import { NameMap } from './name-map.ts'
import type { OwnedRrset, Rrset } from './rrset.ts'
import { hashLabelOctets } from './table/nsec3-hash.ts'

/** What becomes of one RRset of a zone; `rrset` undefined takes it away. `recordsetId` identifies it. */
export type Edit = {
  readonly recordsetId: string
  readonly owner: Name
  readonly type: number
  readonly rrset: OwnedRrset | undefined
  /** Of an NSEC3, where it is known: the name whose edits it goes with, in lower case. */
  readonly of?: Name
}

/** Edits of one name, made at once. Of a name with a SOA it is the SOA with what covers it, or the rest. */
export type NameEdits = {
  readonly owner: Name
  readonly edits: readonly Edit[]
  readonly part: 'all' | 'soa' | 'rest'
}

/** What a zone has at present. */
export type Present = { findRrset(owner: Name, type: number): Rrset | undefined }

type Growing = {
  readonly owner: Name
  readonly byType: Map<number, Edit>
  /** Whether the name enters a chain of denial, or leaves it. */
  link: 'coming' | 'going' | undefined
  /** Of an NSEC3 that comes or goes: the name that it comes or goes with. */
  partner: Name | undefined
  isMade: boolean
}

/** Edits that are to be made together. However many there are, neither adding one nor going on to the next takes long.
 *
 *  They come in an order that readers can bear. What is new is there before what is gone, so that no name is missing in
 *  between, and the serial changes last. Names enter a chain of NSEC or NSEC3 before the one that is to point at them
 *  changes, the last of several first, and they leave it behind that one, the first of several first: so the next name of
 *  each link is never before the one that follows it. A name comes right before its
 *  NSEC3 and goes right behind it. */
export class StagedEdits {
  readonly #present: Present
  readonly #byOwner: Map<Name, Growing> | NameMap<Growing>
  /** What follows a name that leaves. */
  readonly #behindGoing = new Set<Name>()
  /** How many NSEC3 go in front of a name. */
  readonly #goingBefore = new Map<Name, number>()
  #nameCount = 0

  /** @param present must not change before the edits are made
   *  @param size whether it is what one commit changes, or what many do */
  constructor(present: Present, size: 'small' | 'large') {
    this.#present = present
    this.#byOwner = size === 'small' ? new Map() : new NameMap()
  }

  /** Of how many names there are edits. */
  get nameCount(): number {
    return this.#nameCount
  }

  /** In place of an earlier one of the same RRset. */
  put(edit: Edit): void {
    const { owner, type, rrset } = edit
    const key = lowerCaseName(owner)
    let ofOwner = this.#byOwner.get(key)
    if (ofOwner === undefined) {
      ofOwner = { owner, byType: new Map(), link: undefined, partner: undefined, isMade: false }
      this.#byOwner.set(key, ofOwner)
      this.#nameCount += 1
    }
    // The last one decides, and is made last.
    ofOwner.byType.delete(type)
    ofOwner.byType.set(type, edit)
    if (type !== types.NSEC && type !== types.NSEC3) return
    const known = this.#present.findRrset(owner, type)
    this.#countGoing(ofOwner, -1)
    ofOwner.link = linkOf(known, rrset)
    ofOwner.partner = edit.of
    this.#countGoing(ofOwner, 1)
    const next = rrset === undefined && known !== undefined ? nextOwner(owner, known) : undefined
    if (next !== undefined) this.#behindGoing.add(next)
  }

  /** All of them by name, in order. */
  *inOrder(): Generator<NameEdits> {
    let apex: Growing | undefined
    for (const ofOwner of this.#byOwner.values()) {
      if (ofOwner.byType.has(types.SOA)) apex = ofOwner
      else if (ofOwner.link === 'coming') yield* this.#coming(ofOwner)
    }
    // With its NSEC or NSEC3PARAM one chain takes the place of another.
    if (apex !== undefined && apex.byType.size > 1) yield namedEdits(apex, 'rest')
    for (const ofOwner of this.#byOwner.values()) {
      const isAdded = ofOwner !== apex && ofOwner.link === undefined && hasAdditions(ofOwner)
      if (isAdded) yield namedEdits(ofOwner)
    }
    for (const ofOwner of this.#byOwner.values()) {
      if (this.#isFirst(ofOwner) && ofOwner !== apex && isLeaving(ofOwner)) {
        yield* this.#going(ofOwner)
      }
    }
    // Those of a chain that goes as a whole.
    for (const ofOwner of this.#byOwner.values()) {
      if (ofOwner !== apex && isLeaving(ofOwner)) yield* this.#going(ofOwner)
    }
    if (apex !== undefined) yield namedEdits(apex, 'soa')
  }

  /** Whether what leaves has nothing in front of it that leaves too. */
  #isFirst({ owner }: Growing): boolean {
    const key = lowerCaseName(owner)
    return !this.#behindGoing.has(key) && !this.#goingBefore.has(key)
  }

  /** A name that enters the chain, behind those that follow it there. */
  #coming(first: Growing): NameEdits[] {
    const run: NameEdits[] = []
    for (let at: Growing | undefined = first; at?.link === 'coming' && !at.isMade; ) {
      const partner: Growing | undefined = this.#partnerOf(at)
      // The run is turned round.
      run.push(namedEdits(at))
      if (partner !== undefined && !partner.isMade) run.push(namedEdits(partner))
      const link: Edit | undefined = at.byType.get(types.NSEC) ?? at.byType.get(types.NSEC3)
      at =
        link?.rrset === undefined ? undefined : this.#byOwner.get(nextOwner(at.owner, link.rrset))
      if (at?.byType.has(types.SOA)) break
    }
    return run.reverse()
  }

  /** A name that leaves the chain, and then those that follow it there. */
  *#going(first: Growing): Generator<NameEdits> {
    for (let at: Growing | undefined = first; at !== undefined && isLeaving(at); ) {
      if (at.byType.has(types.SOA)) return
      const { owner, byType }: Growing = at
      const type: number = byType.has(types.NSEC) ? types.NSEC : types.NSEC3
      const known: Rrset | undefined =
        at.link === 'going' ? this.#present.findRrset(owner, type) : undefined
      const partner: Growing | undefined = this.#partnerOf(at)
      this.#countGoing(at, -1)
      yield namedEdits(at)
      if (partner !== undefined && isLeaving(partner) && !this.#goingBefore.has(at.partner as Name))
        yield namedEdits(partner)
      at = known && this.#byOwner.get(nextOwner(owner, known))
    }
  }

  /** The edits of the name that an NSEC3 comes or goes with, but for those of the apex. */
  #partnerOf({ partner }: Growing): Growing | undefined {
    const found = partner === undefined ? undefined : this.#byOwner.get(partner)
    return found?.byType.has(types.SOA) ? undefined : found
  }

  #countGoing({ link, partner }: Growing, added: 1 | -1): void {
    if (link !== 'going' || partner === undefined) return
    const count = (this.#goingBefore.get(partner) ?? 0) + added
    if (count === 0) this.#goingBefore.delete(partner)
    else this.#goingBefore.set(partner, count)
  }
}

function linkOf(known: Rrset | undefined, rrset: Rrset | undefined): Growing['link'] {
  if (rrset === undefined) return 'going'
  return known === undefined ? 'coming' : undefined
}

function isLeaving(ofOwner: Growing): boolean {
  if (ofOwner.isMade) return false
  return ofOwner.link === 'going' || (ofOwner.link === undefined && !hasAdditions(ofOwner))
}

function hasAdditions({ byType }: Growing): boolean {
  for (const { rrset } of byType.values()) if (rrset !== undefined) return true
  return false
}

function namedEdits(ofOwner: Growing, part: NameEdits['part'] = 'all'): NameEdits {
  ofOwner.isMade = true
  return { owner: ofOwner.owner, edits: [...ofOwner.byType.values()], part }
}

/** Octets of an NSEC3 before the hash of the next owner, but for the salt (RFC 5155 section 3.2). */
const saltLengthAt = 4
const hashOctets = 20

/** The owner that an NSEC or NSEC3 points at, in lower case. */
export function nextOwner(owner: Name, { type, rdatas: [rdata = new Uint8Array()] }: Rrset): Name {
  if (type === types.NSEC) return lowerCaseName(nameFromOctets(rdata, 0))
  const hashAt = saltLengthAt + 2 + (rdata[saltLengthAt] as number)
  const hash = Buffer.from(rdata.subarray(hashAt, hashAt + hashOctets)).toString('hex')
  const label = BigInt(`0x0${hash}`).toString(32).padStart(hashLabelOctets, '0')
  return lowerCaseName(
    `${String.fromCharCode(hashLabelOctets)}${label}${parentName(owner)}` as Name,
  )
}
