import type { KeyObject } from 'node:crypto'
import { types } from '../../src/dns/codes.ts'
import type { ResourceRecord } from '../../src/dns/message.ts'
import {
  isAtOrBelow,
  labelsOf,
  lowerCaseName,
  type Name,
  nameFromOctets,
  parentName,
} from '../../src/dns/name.ts'
import { canonicalRecords, signedLabelCount } from '../../src/dnssec/canonical.ts'
import { signatureFields } from '../../src/dnssec/key.ts'
import { nextOwner } from '../../src/zone/edits.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { Reply } from './ask.ts'
import { compareNames, hashOf } from './sign-zone.ts'
import { isSignedBy, publicKeyOf, requireInTime } from './verify-zone.ts'

// A validator of single answers from one zone that is signed with P-256 or Ed25519 keys (RFC 4035 section 5, RFC 5155 section 8). What
// it does not accept is bogus to a validator that has only that answer and the keys.

type Signed = { readonly rrset: OwnedRrset; readonly signatures: readonly Uint8Array[] }

export class AnswerValidator {
  readonly #apex: Name
  readonly #keys: readonly KeyObject[]
  readonly #verified = new Set<string>()

  /** @param apex in lower case */
  constructor(apex: Name, ...dnskeys: readonly Uint8Array[]) {
    this.#apex = apex
    this.#keys = dnskeys.map(publicKeyOf)
  }

  /** @throws Error why the answer is bogus */
  check({ rcode, message }: Reply, nowSeconds: number): void {
    const [question] = message.questions
    if (question === undefined) throw new Error('no question')
    const answers = rrsetsOf(message.answers)
    const authorities = rrsetsOf(message.authorities)
    const denial = new Denial(this.#apex, authorities)
    const renaming = answers.filter(({ rrset }) => rrset.type === types.DNAME)
    for (const each of [...answers, ...authorities]) {
      const { owner, type } = each.rrset
      const isDelegation = type === types.NS && lowerCaseName(owner) !== this.#apex
      const isMade =
        type === types.CNAME && renaming.some(({ rrset }) => isBelow(owner, rrset.owner))
      if ((isDelegation && authorities.includes(each)) || isMade) continue
      const encloser = this.#checkSignatures(each, nowSeconds)
      if (encloser !== undefined) denial.requireAbsent(lowerCaseName(owner), encloser)
    }
    const name = lastOf(lowerCaseName(question.name), answers, question.type)
    if (!isAtOrBelow(name, this.#apex)) return
    if (answers.some(({ rrset }) => isOf(rrset, name, question.type))) return
    const cut = authorities.find(
      ({ rrset }) => rrset.type === types.NS && lowerCaseName(rrset.owner) !== this.#apex,
    )
    if (cut !== undefined) {
      const owner = lowerCaseName(cut.rrset.owner)
      const isSecure = authorities.some(({ rrset }) => isOf(rrset, owner, types.DS))
      if (!isSecure) denial.requireNoData(owner, types.DS)
    } else if (rcode === 'NXDOMAIN') denial.requireNoName(name)
    else denial.requireNoData(name, question.type)
  }

  /** Returns the closest encloser of a name that a wildcard expanded to. */
  #checkSignatures({ rrset, signatures }: Signed, nowSeconds: number): Name | undefined {
    const { owner, type, ttlSeconds } = rrset
    const about = `${owner} ${type}`
    if (signatures.length === 0) throw new Error(`${about} has no signature`)
    let encloser: Name | undefined
    // Where keys roll, it has signatures of keys that are not in DNSKEY yet, or no longer.
    let isSigned = false
    for (const rdata of signatures) {
      const fields = signatureFields(rdata)
      requireInTime(about, fields, nowSeconds)
      if (fields.ttlSeconds < ttlSeconds) throw new Error(`${about} has too long a TTL`)
      const labelCount = rdata[3] as number
      let signer = owner
      if (labelCount < signedLabelCount(owner)) {
        let above = lowerCaseName(owner)
        while (labelsOf(above).length > labelCount) above = parentName(above)
        encloser = above
        signer = `\x01*${above}` as Name
      }
      const headOctets = 18 + this.#apex.length
      const records = canonicalRecords(signer, { ...rrset, ttlSeconds: fields.ttlSeconds })
      const data = Buffer.concat([rdata.subarray(0, headOctets), records])
      const known = `${data.toString('latin1')} ${Buffer.from(rdata).toString('latin1')}`
      const signature = rdata.subarray(headOctets)
      const isKnown = this.#verified.has(known)
      if (isKnown || this.#keys.some(key => isSignedBy(key, data, signature))) {
        this.#verified.add(known)
        isSigned = true
      }
    }
    if (!isSigned) throw new Error(`${about}: no signature is good`)
    return encloser
  }
}

/** What NSEC and NSEC3 of an answer say. */
class Denial {
  readonly #apex: Name
  readonly #nsecs: readonly OwnedRrset[]
  readonly #nsec3s: readonly OwnedRrset[]

  constructor(apex: Name, authorities: readonly Signed[]) {
    this.#apex = apex
    const all = authorities.map(({ rrset }) => ({ ...rrset, owner: lowerCaseName(rrset.owner) }))
    this.#nsecs = all.filter(({ type }) => type === types.NSEC)
    this.#nsec3s = all.filter(({ type }) => type === types.NSEC3)
  }

  requireNoName(name: Name): void {
    const encloser = this.#encloserOf(name)
    this.requireAbsent(name, encloser)
    if (!this.#isCovered(`\x01*${encloser}` as Name)) throw new Error('the wildcard is not denied')
  }

  /** Requires proof that a name does not exist, nor any between it and its closest encloser. */
  requireAbsent(name: Name, encloser: Name): void {
    const denied = this.#nsec3s.length === 0 ? name : childOf(encloser, name)
    if (!this.#isCovered(denied)) throw new Error(`${denied} is not denied`)
  }

  requireNoData(name: Name, type: number): void {
    const own = this.#matching(name)
    if (own !== undefined) {
      requireWithout(own, type)
      return
    }
    // An empty non-terminal.
    if (this.#nsecs.some(nsec => covers(nsec, name) && isBelow(nextOwner(nsec.owner, nsec), name)))
      return
    const encloser = this.#encloserOf(name)
    this.requireAbsent(name, encloser)
    // Opt-out proves nothing about the names that it covers.
    if (this.#isOptedOut(childOf(encloser, name))) return
    const wildcard = this.#matching(`\x01*${encloser}` as Name)
    if (wildcard === undefined) throw new Error(`${name} has no proof`)
    requireWithout(wildcard, type)
  }

  #encloserOf(name: Name): Name {
    if (this.#nsec3s.length > 0) {
      for (
        let above = parentName(name);
        isAtOrBelow(above, this.#apex);
        above = parentName(above)
      ) {
        if (this.#matching(above) !== undefined) return above
      }
      throw new Error(`${name} has no encloser`)
    }
    const nsec = this.#nsecs.find(it => covers(it, name))
    if (nsec === undefined) throw new Error(`${name} is not covered`)
    const ends = [nsec.owner, nextOwner(nsec.owner, nsec)]
    let above = name
    while (!ends.some(end => isAtOrBelow(end, above))) above = parentName(above)
    return above
  }

  #matching(name: Name): OwnedRrset | undefined {
    const hashed = this.#ownerOf(name)
    return (
      this.#nsecs.find(({ owner }) => owner === name) ??
      this.#nsec3s.find(({ owner }) => owner === hashed)
    )
  }

  #isCovered(name: Name): boolean {
    return this.#nsecs.some(it => covers(it, name)) || this.#covering(name) !== undefined
  }

  #isOptedOut(name: Name): boolean {
    return ((this.#covering(name)?.rdatas[0]?.[1] as number) & 1) !== 0
  }

  #covering(name: Name): OwnedRrset | undefined {
    const hashed = this.#ownerOf(name)
    return this.#nsec3s.find(nsec3 => {
      const next = nextOwner(nsec3.owner, nsec3)
      if (nsec3.owner < next) return nsec3.owner < hashed && hashed < next
      return nsec3.owner < hashed || hashed < next
    })
  }

  #ownerOf(name: Name): Name {
    const hash = BigInt(`0x0${hashOf(name, { denial: 'nsec3' }).toString('hex')}`)
    return `\x20${hash.toString(32).padStart(32, '0')}${this.#apex}` as Name
  }
}

function covers(nsec: OwnedRrset, name: Name): boolean {
  const { owner } = nsec
  const next = nextOwner(owner, nsec)
  const isBehind = compareNames(owner, name) < 0
  const isBefore = compareNames(name, next) < 0 || compareNames(next, owner) <= 0
  // RFC 6840 section 4.1: it must not deny names below a cut or a DNAME.
  const isCut = hasType(nsec, types.NS) && !hasType(nsec, types.SOA)
  const isBarrier = isCut || hasType(nsec, types.DNAME)
  return isBehind && isBefore && !(isBarrier && isBelow(name, owner))
}

function requireWithout(link: OwnedRrset, type: number): void {
  const isCut = hasType(link, types.NS) && !hasType(link, types.SOA)
  if (isCut && type !== types.DS) throw new Error(`${link.owner} is a cut`)
  if (hasType(link, type) || hasType(link, types.CNAME)) throw new Error(`${link.owner} has it`)
}

/** Whether the bitmap of an NSEC or NSEC3 has a type. */
function hasType({ type: kind, rdatas: [rdata = new Uint8Array()] }: OwnedRrset, type: number) {
  let at = kind === types.NSEC ? nameFromOctets(rdata, 0).length : 6 + (rdata[4] as number) + 20
  for (; at < rdata.length; at += 2 + (rdata[at + 1] as number)) {
    if (rdata[at] !== type >> 8) continue
    const place = (type & 0xff) >> 3
    const octet = place < (rdata[at + 1] as number) ? (rdata[at + 2 + place] as number) : 0
    if ((octet & (0x80 >> (type & 7))) !== 0) return true
  }
  return false
}

/** RRsets, each with the signatures that cover it. */
function rrsetsOf(records: readonly ResourceRecord[]): Signed[] {
  const byKey = Map.groupBy(records, ({ owner, type, rdata }) => {
    const covered = type === types.RRSIG ? signatureFields(rdata).covered : type
    return `${lowerCaseName(owner)} ${covered}`
  })
  return [...byKey.values()].map(all => {
    const own = all.filter(({ type }) => type !== types.RRSIG)
    const [first] = own
    if (first === undefined) throw new Error('a signature of nothing')
    return {
      rrset: { ...first, rdatas: own.map(({ rdata }) => rdata) },
      signatures: all.filter(({ type }) => type === types.RRSIG).map(({ rdata }) => rdata),
    }
  })
}

/** Where the aliases of an answer lead to. */
function lastOf(first: Name, answers: readonly Signed[], type: number): Name {
  let name = first
  for (let left = answers.length; left > 0 && type !== types.CNAME; left -= 1) {
    const alias = answers.find(({ rrset }) => isOf(rrset, name, types.CNAME))
    if (alias === undefined) break
    name = lowerCaseName(nameFromOctets(alias.rrset.rdatas[0] as Uint8Array, 0))
  }
  return name
}

function isOf(rrset: OwnedRrset, name: Name, type: number): boolean {
  return lowerCaseName(rrset.owner) === name && rrset.type === type
}

function isBelow(name: Name, above: Name): boolean {
  const [one, other] = [lowerCaseName(name), lowerCaseName(above)]
  return one !== other && isAtOrBelow(one, other)
}

/** The name right below another on the way to a third. */
function childOf(encloser: Name, name: Name): Name {
  let child = name
  while (parentName(child) !== encloser) child = parentName(child)
  return child
}
