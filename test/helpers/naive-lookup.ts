import { types } from '../../src/dns/codes.ts'
import { labelsOf, lowerCaseName, type Name } from '../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../src/zone/rrset.ts'
import type { Lookup } from './oracle/served-zone.ts'

// The oracle: RFC 1034 section 4.3.2 done literally, label by label downwards over a flat list of RRsets, with
// no tree, no index and no flag. Slow, and as close to the text as code gets; it shares nothing with the
// image but the types it is compared by.

/** Answers `qname` from the RRsets of the zone `apex`. */
export function naiveLookup(
  rrsets: readonly OwnedRrset[],
  { apex, qname, qtype }: { apex: Name; qname: Name; qtype: number },
): Lookup {
  const zone = new FlatZone(rrsets)
  const wanted = lowerLabels(qname)
  // Step 3: match down, label by label.
  for (let depth = lowerLabels(apex).length; ; depth += 1) {
    const here = wanted.slice(wanted.length - depth)
    const isWhole = depth === wanted.length
    // 3b: out of the authoritative data, unless the question is for the parent's side of the cut.
    const ns = here.length > lowerLabels(apex).length ? zone.find(here, types.NS) : undefined
    if (ns !== undefined && !(isWhole && qtype === types.DS)) return { kind: 'referral', ns }
    // 3a: the whole of QNAME is matched.
    if (isWhole) return zone.answer(here, qtype)
    // RFC 6672 section 3.2, 3c: a DNAME at the last label matched renames the rest.
    const dname = zone.find(here, types.DNAME)
    if (dname !== undefined) return { kind: 'dname', dname }
    // 3c: a match is impossible; look whether "*" exists here.
    if (zone.exists(wanted.slice(wanted.length - depth - 1))) continue
    const star = ['*', ...here]
    return zone.exists(star) ? zone.answer(star, qtype) : zone.nxdomain()
  }
}

/** Returns the address RRsets that may be offered for `name` in an additional section. */
export function naiveAddresses(
  rrsets: readonly OwnedRrset[],
  { apex, name }: { apex: Name; name: Name },
): Rrset[] {
  const zone = new FlatZone(rrsets)
  const wanted = lowerLabels(name)
  const apexLabels = lowerLabels(apex)
  if (apexLabels.join() !== wanted.slice(wanted.length - apexLabels.length).join()) return []
  let isBelowCut = false
  for (let depth = apexLabels.length; ; depth += 1) {
    const here = wanted.slice(wanted.length - depth)
    isBelowCut ||= depth > apexLabels.length && zone.find(here, types.NS) !== undefined
    if (depth === wanted.length) return zone.addresses(here)
    if (!isBelowCut && zone.find(here, types.DNAME) !== undefined) return []
    if (zone.exists(wanted.slice(wanted.length - depth - 1))) continue
    return isBelowCut ? [] : zone.addresses(['*', ...here])
  }
}

/** Returns how many names exist: those with data, and all between them and the apex. */
export function naiveNameCount(rrsets: readonly OwnedRrset[], apex: Name): number {
  const names = new Set<string>()
  for (const { owner } of rrsets) {
    const labels = lowerLabels(owner)
    const apexDepth = lowerLabels(apex).length
    for (let at = 0; labels.length - at >= apexDepth; at += 1) names.add(labels.slice(at).join('/'))
  }
  return names.size
}

class FlatZone {
  readonly #rrsets: readonly { readonly labels: string[]; readonly rrset: OwnedRrset }[]

  constructor(rrsets: readonly OwnedRrset[]) {
    this.#rrsets = rrsets.map(rrset => ({ labels: lowerLabels(rrset.owner), rrset }))
  }

  /** RFC 4592 section 2.2.3: a name exists if it or anything below it owns data. */
  exists(name: readonly string[]): boolean {
    return this.#rrsets.some(({ labels }) =>
      isSame(labels.slice(Math.max(0, labels.length - name.length)), name),
    )
  }

  find(name: readonly string[], type: number): OwnedRrset | undefined {
    return this.#at(name).find(rrset => rrset.type === type)
  }

  addresses(name: readonly string[]): Rrset[] {
    return [this.find(name, types.A), this.find(name, types.AAAA)].filter(
      rrset => rrset !== undefined,
    )
  }

  answer(name: readonly string[], qtype: number): Lookup {
    const rrsets = this.#at(name)
    const lowest = rrsets.toSorted((a, b) => a.type - b.type)[0]
    const rrset = qtype === types.ANY ? lowest : rrsets.find(rrset => rrset.type === qtype)
    if (rrset !== undefined) return { kind: 'hit', rrset }
    const cname = rrsets.find(rrset => rrset.type === types.CNAME)
    if (cname !== undefined && qtype !== types.ANY) return { kind: 'cname', rrset: cname }
    return { kind: 'nodata', soa: this.#negativeSoa() }
  }

  nxdomain(): Lookup {
    return { kind: 'nxdomain', soa: this.#negativeSoa() }
  }

  #at(name: readonly string[]): OwnedRrset[] {
    return this.#rrsets.filter(({ labels }) => isSame(labels, name)).map(({ rrset }) => rrset)
  }

  #negativeSoa(): OwnedRrset {
    const soa = this.#rrsets.find(({ rrset }) => rrset.type === types.SOA)?.rrset
    const rdata = soa?.rdatas[0]
    if (soa === undefined || rdata === undefined) throw new Error('a zone without a SOA')
    const minimum = Buffer.from(rdata).readUInt32BE(rdata.length - 4)
    return { ...soa, ttlSeconds: minimum < soa.ttlSeconds ? minimum : soa.ttlSeconds }
  }
}

function lowerLabels(name: Name): string[] {
  return labelsOf(lowerCaseName(name))
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((label, i) => label === right[i])
}
