import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name, nameFromOctets, parentName } from '../dns/name.ts'
import { formatBase32hex } from '../dns/rdata/fields/base32hex.ts'
import { NameMap } from './name-map.ts'
import type { OwnedRrset, Rrset } from './rrset.ts'
import { digestOctets, hashLabelOctets } from './table/nsec3-hash.ts'

/** An edit of one RRset of a zone; `rrset` undefined removes it. `recordsetId` identifies it. */
export type Edit = {
  readonly recordsetId: string
  readonly owner: Name
  readonly type: number
  readonly rrset: OwnedRrset | undefined
  /** Of an NSEC3, where it is known: the name whose edits it goes with, in lower case. */
  readonly of?: Name
}

/** Edits of one name, made at once. For a name with a SOA: the SOA with the RRSIG that cover it, or the rest. */
export type NameEdits = {
  readonly owner: Name
  readonly edits: readonly Edit[]
  readonly part: 'all' | 'soa' | 'rest'
}

/** The present contents of a zone. */
type Present = { findRrset(owner: Name, type: number): Rrset | undefined }

type Growing = {
  readonly owner: Name
  readonly byType: Map<number, Edit>
  /** Whether the name enters a chain of denial, or leaves it. */
  link: 'coming' | 'going' | undefined
  /** Of an NSEC3 that is added or removed: the name that it belongs to. */
  partner: Name | undefined
  isMade: boolean
}

/** Edits that are to be made together. Adding an edit and advancing to the next take little time, however many there are.
 *
 *  Their order keeps every state in between valid for readers. Additions come before removals, so that no name is missing
 *  in between, and the serial changes last. Names enter a chain of NSEC or NSEC3 before the link that is to point at them
 *  changes, the last of several first, and leave it after that link, the first of several first: so the next name of each
 *  link is never before the one that follows it. A name is added right before its NSEC3 and removed right after it. */
export class StagedEdits {
  readonly #present: Present
  readonly #byOwner: Map<Name, Growing> | NameMap<Growing>
  /** The names that follow a leaving name in the chain. */
  readonly #behindGoing = new Set<Name>()
  /** How many NSEC3 must be removed before a name. */
  readonly #goingBefore = new Map<Name, number>()
  #nameCount = 0

  /** @param present must not change before the edits are made
   *  @param size whether these are the changes of one commit or of many */
  constructor(present: Present, size: 'small' | 'large') {
    this.#present = present
    this.#byOwner = size === 'small' ? new Map() : new NameMap()
  }

  /** The number of names with edits. */
  get nameCount(): number {
    return this.#nameCount
  }

  /** Replaces an earlier edit of the same RRset. */
  put(edit: Edit): void {
    const { owner, type, rrset } = edit
    const key = lowerCaseName(owner)
    let ofOwner = this.#byOwner.get(key)
    if (ofOwner === undefined) {
      ofOwner = { owner, byType: new Map(), link: undefined, partner: undefined, isMade: false }
      this.#byOwner.set(key, ofOwner)
      this.#nameCount += 1
    }
    // The last edit wins, and is made last.
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

  /** All edits by name, in order. */
  *inOrder(): Generator<NameEdits> {
    let apex: Growing | undefined
    for (const ofOwner of this.#byOwner.values()) {
      if (ofOwner.byType.has(types.SOA)) apex = ofOwner
      else if (ofOwner.link === 'coming') yield* this.#coming(ofOwner)
    }
    // The apex's NSEC or NSEC3PARAM switches from one chain to another.
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
    // The names of a chain that is removed as a whole.
    for (const ofOwner of this.#byOwner.values()) {
      if (ofOwner !== apex && isLeaving(ofOwner)) yield* this.#going(ofOwner)
    }
    if (apex !== undefined) yield namedEdits(apex, 'soa')
  }

  /** Whether no other leaving name precedes this one. */
  #isFirst({ owner }: Growing): boolean {
    const key = lowerCaseName(owner)
    return !this.#behindGoing.has(key) && !this.#goingBefore.has(key)
  }

  /** A name that enters the chain, after the entering names that follow it there. */
  #coming(first: Growing): NameEdits[] {
    const run: NameEdits[] = []
    for (let at: Growing | undefined = first; at?.link === 'coming' && !at.isMade; ) {
      const partner: Growing | undefined = this.#partnerOf(at)
      // The run is reversed at the end.
      run.push(namedEdits(at))
      if (partner !== undefined && !partner.isMade) run.push(namedEdits(partner))
      const link: Edit | undefined = at.byType.get(types.NSEC) ?? at.byType.get(types.NSEC3)
      at =
        link?.rrset === undefined ? undefined : this.#byOwner.get(nextOwner(at.owner, link.rrset))
      if (at?.byType.has(types.SOA)) break
    }
    return run.reverse()
  }

  /** A name that leaves the chain, and then the leaving names that follow it there. */
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

  /** The edits of the name whose NSEC3 is added or removed, but not those of the apex. */
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

/** The owner that an NSEC or NSEC3 points at, in lower case. */
export function nextOwner(owner: Name, { type, rdatas: [rdata = new Uint8Array()] }: Rrset): Name {
  if (type === types.NSEC) return lowerCaseName(nameFromOctets(rdata, 0))
  const hashAt = saltLengthAt + 2 + (rdata[saltLengthAt] as number)
  const label = formatBase32hex(rdata.subarray(hashAt, hashAt + digestOctets))
  return lowerCaseName(
    `${String.fromCharCode(hashLabelOctets)}${label}${parentName(owner)}` as Name,
  )
}
