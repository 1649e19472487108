import { lowerCaseName, type Name, parentName } from '../../../src/dns/name.ts'
import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import { compareNames, hashOf } from '../sign-zone.ts'
import { hashLabel } from './listed-zone.ts'
import type { Lookup, ZoneDnssec } from './served-zone.ts'
import { closestEncloser, isExpanded, type Proof, wildcardBelow } from './signatures.ts'

/** The proof that a name has no more data than what was found (RFC 4035 section 3.1.3, RFC 5155 section 7.2). */
export function proofsOf(zone: ZoneDnssec | undefined, name: Name, found: Lookup): Proof[] {
  if (zone === undefined) return []
  const key = lowerCaseName(name)
  const { nsec3Param } = zone
  const chain = nsec3Param === undefined ? new NsecChain(zone) : new Nsec3Chain(zone, nsec3Param)
  return chain.proofsOf(key, found).map(rrset => ({ ...rrset, zone }))
}

class NsecChain {
  readonly #zone: ZoneDnssec
  readonly #nsecs: readonly OwnedRrset[]

  constructor(zone: ZoneDnssec) {
    this.#zone = zone
    this.#nsecs = zone.nsecs.toSorted((one, other) => compareNames(one.owner, other.owner))
  }

  proofsOf(name: Name, found: Lookup): OwnedRrset[] {
    const encloser = closestEncloser(this.#zone, name)
    const covers = this.#floor(name)
    switch (found.kind) {
      case 'hit':
      case 'cname':
        return isExpanded(this.#zone, name, found) ? covers : []
      case 'nodata':
        if (!isExpanded(this.#zone, name, found)) return covers
        return [...this.#floor(wildcardBelow(encloser)), ...covers]
      case 'nxdomain':
        return [...this.#floor(wildcardBelow(encloser)), ...covers]
      case 'referral': {
        if (this.#zone.dsAt(found.ns.owner) !== undefined) return []
        return this.#nsecs.filter(({ owner }) => compareNames(owner, found.ns.owner) === 0)
      }
      case 'dname':
        return []
    }
  }

  /** The NSEC of the last name at or before one. */
  #floor(name: Name): OwnedRrset[] {
    const last = this.#nsecs.findLast(({ owner }) => compareNames(owner, name) <= 0)
    return last === undefined ? [] : [last]
  }
}

class Nsec3Chain {
  readonly #zone: ZoneDnssec
  readonly #nsec3s: readonly OwnedRrset[]
  readonly #salt: Uint8Array
  readonly #iterations: number

  constructor(zone: ZoneDnssec, param: Uint8Array) {
    this.#zone = zone
    this.#nsec3s = zone.nsec3s.toSorted((one, other) =>
      hashLabel(one) < hashLabel(other) ? -1 : 1,
    )
    this.#salt = param.subarray(5)
    this.#iterations = Buffer.from(param).readUInt16BE(2)
  }

  proofsOf(name: Name, found: Lookup): OwnedRrset[] {
    const zone = this.#zone
    const encloser = closestEncloser(zone, name)
    switch (found.kind) {
      case 'hit':
      case 'cname':
        return isExpanded(zone, name, found) ? this.#cover(childTowards(encloser, name)) : []
      case 'nodata':
        if (!isExpanded(zone, name, found)) return this.#matchOrEncloser(name)
        return [...this.#enclosed(name), ...this.#match(wildcardBelow(encloser))]
      case 'nxdomain': {
        const { encloser: provable, match, cover } = this.#encloser(name)
        return [...match, ...this.#cover(wildcardBelow(provable)), ...cover]
      }
      case 'referral':
        if (zone.dsAt(found.ns.owner) !== undefined) return []
        return this.#matchOrEncloser(lowerCaseName(found.ns.owner))
      case 'dname':
        return []
    }
  }

  #matchOrEncloser(name: Name): OwnedRrset[] {
    const match = this.#match(name)
    return match.length > 0 ? match : this.#enclosed(name)
  }

  #enclosed(name: Name): OwnedRrset[] {
    const { match, cover } = this.#encloser(name)
    return [...match, ...cover]
  }

  /** The closest provable encloser of a name that has no NSEC3 (RFC 5155 section 7.2.1). */
  #encloser(name: Name): { encloser: Name; match: OwnedRrset[]; cover: OwnedRrset[] } {
    for (let above = parentName(name), below = name; ; ) {
      const match = this.#zone.exists(above) ? this.#match(above) : []
      if (match.length > 0) return { encloser: above, match, cover: this.#cover(below) }
      below = above
      above = parentName(above)
    }
  }

  #match(name: Name): OwnedRrset[] {
    const hash = this.#hash(name)
    return this.#nsec3s.filter(nsec3 => hashLabel(nsec3) === hash)
  }

  #cover(name: Name): OwnedRrset[] {
    const hash = this.#hash(name)
    const before = this.#nsec3s.findLast(nsec3 => hashLabel(nsec3) <= hash) ?? this.#nsec3s.at(-1)
    return before === undefined ? [] : [before]
  }

  #hash(name: Name): string {
    const hash = hashOf(name, {
      denial: 'nsec3',
      salt: this.#salt,
      iterations: this.#iterations,
    })
    return BigInt(`0x${hash.toString('hex')}`)
      .toString(32)
      .padStart(32, '0')
  }
}

/** The name one label longer than one above another, towards that. */
function childTowards(above: Name, name: Name): Name {
  for (let child = name; ; child = parentName(child)) if (parentName(child) === above) return child
}
