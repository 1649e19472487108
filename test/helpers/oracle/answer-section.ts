import { rcodes, types } from '../../../src/dns/codes.ts'
import type { Question } from '../../../src/dns/message.ts'
import { lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import { proofsOf } from './denial.ts'
import { substituteDname, synthesizeCname } from './dname.ts'
import { findZone } from './find-zone.ts'
import type { Response } from './response.ts'
import type { Lookup, ServedZone, ServedZones } from './served-zone.ts'
import { type Proof, putProofs, putSignature, sourceOf } from './signatures.ts'
import { targetName } from './target-name.ts'

/** Aliases followed in one response. Longer chains and loops are answered as far as they were followed: the
 *  resolver asks on for the last target itself, and notices a loop itself. */
export const maxAliasChain = 10

/** The end of the alias chain, for the sections after the answer. */
export type ChainEnd = {
  readonly zone: ServedZone
  /** The name that `found` is about: the question's, or the last alias target. */
  readonly owner: Name
  readonly found: Lookup
  /** Of all links of the chain. */
  readonly proofs: readonly Proof[]
}

/** Puts the answer section and sets AA and the rcode. Aliases are followed through all zones we serve.
 *  Returns undefined where there is nothing to add in later sections: the chain left our zones or grew too
 *  long, or the answer did not fit. */
export function putAnswers(
  question: Question,
  { zone, zones }: { zone: ServedZone; zones: ServedZones },
  response: Response,
): ChainEnd | undefined {
  let chain: AliasChain | undefined
  const proofs: Proof[] = []
  let owner = question.name
  for (let current: ServedZone | undefined = zone; current !== undefined; ) {
    const found = current.lookup(lowerCaseName(owner), question.type)
    if (response.isDnssecOk) proofs.push(...proofsOf(current.dnssec, owner, found))
    // RFC 1035 section 4.1.1: AA is about the first owner name, so a referral later on leaves it set.
    if (chain === undefined) response.isAuthoritative = found.kind !== 'referral'
    if (found.kind !== 'cname' && found.kind !== 'dname') {
      const isPut = found.kind === 'hit' && chain?.hasPut(owner, found.rrset.type) === true
      if (!isPut) putFinal(current, owner, found, response)
      return response.isTruncated ? undefined : { zone: current, owner, found, proofs }
    }
    chain ??= new AliasChain(response)
    const target: Name | undefined =
      found.kind === 'cname'
        ? chain.follow(owner, found.rrset, current)
        : chain.rename(owner, found.dname, current)
    if (target === undefined || isAnsweredByAlias(question.type)) break
    owner = target
    current = nextZone(zones, owner, question.type)
  }
  putProofs(response, proofs)
  return undefined
}

/** Puts the end of a chain, of no links in most cases. */
function putFinal(zone: ServedZone, owner: Name, found: Lookup, response: Response): void {
  if (found.kind === 'hit') {
    response.putRequired('answer', owner, found.rrset)
    putOwnSignature(response, owner, found.rrset, zone)
  }
  // RFC 6604 section 3: the rcode is that of the last name in the chain.
  if (found.kind === 'nxdomain') response.rcode = rcodes.nxDomain
}

/** Puts the signature of what a name, or the wildcard in its place, has. */
function putOwnSignature(
  response: Response,
  owner: Name,
  rrset: Rrset,
  { dnssec: zone }: ServedZone,
): void {
  if (zone === undefined) return
  putSignature(response, 'answer', { owner, source: sourceOf(zone, owner), zone, rrset })
}

/** Whether the CNAME that a DNAME made is itself what was asked for. A stored one is a hit, never an alias. */
function isAnsweredByAlias(qtype: number): boolean {
  return qtype === types.CNAME || qtype === types.ANY
}

/** An expired zone is no reason for a SERVFAIL when the alias to it is itself valid. */
function nextZone(zones: ServedZones, owner: Name, qtype: number): ServedZone | undefined {
  const zone = findZone(zones, lowerCaseName(owner), qtype)
  return zone === undefined || zone.isExpired ? undefined : zone
}

/** The aliases put so far, and the rules for the next one. */
class AliasChain {
  readonly #response: Response
  readonly #visited: Name[] = []
  readonly #dnameOwners: Name[] = []

  constructor(response: Response) {
    this.#response = response
  }

  /** Whether the RRset is in the answer because the chain went through it: only a DNAME can be met again. */
  hasPut(owner: Name, type: number): boolean {
    return type === types.DNAME && this.#dnameOwners.includes(lowerCaseName(owner))
  }

  /** Puts a CNAME and returns its target, or undefined where the chain must not go on. */
  follow(owner: Name, cname: Rrset, zone?: ServedZone): Name | undefined {
    this.#response.putRequired('answer', owner, cname)
    if (zone !== undefined) putOwnSignature(this.#response, owner, cname, zone)
    this.#visited.push(lowerCaseName(owner))
    const [rdata] = cname.rdatas
    const target = rdata === undefined ? undefined : targetName(types.CNAME, rdata)
    if (target === undefined || this.#response.isTruncated) return undefined
    if (!this.#response.isWithinReach) return undefined
    const isLoop = this.#visited.includes(lowerCaseName(target))
    return isLoop || this.#visited.length === maxAliasChain ? undefined : target
  }

  /** Puts a DNAME, once however often it is passed, and the CNAME it makes for `owner`. */
  rename(owner: Name, dname: OwnedRrset, zone: ServedZone): Name | undefined {
    if (!this.hasPut(dname.owner, types.DNAME)) {
      this.#dnameOwners.push(lowerCaseName(dname.owner))
      this.#response.putRequired('answer', dname.owner, dname)
      const signed = { owner: dname.owner, zone: zone.dnssec, rrset: dname }
      putSignature(this.#response, 'answer', signed)
    }
    const [rdata] = dname.rdatas
    const target = rdata === undefined ? undefined : targetName(types.DNAME, rdata)
    if (target === undefined) return undefined
    const renamed = substituteDname(owner, { owner: dname.owner, target })
    if (renamed === undefined) {
      this.#response.rcode = rcodes.yxDomain
      return undefined
    }
    return this.follow(owner, synthesizeCname(renamed, dname))
  }
}
