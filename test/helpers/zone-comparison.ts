import { formatName } from '../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../src/zone/rrset.ts'
import type { ListedZone } from './oracle/listed-zone.ts'
import type { Lookup, ServedZone } from './oracle/served-zone.ts'
import type { ZoneStory } from './random-zone.ts'

// Any implementation of a zone against the oracle, on random zones.

/** Asks the zone and the oracle the questions of the story and returns how many. */
export function compareAnswers(
  zone: ServedZone,
  oracle: ListedZone,
  { questions }: ZoneStory,
): number {
  for (const { qname, qtype } of questions) {
    const about = `${formatName(qname)} ${qtype}`
    const wanted = oracle.lookup(qname, qtype)
    sameOrThrow(about, lookupText(zone.lookup(qname, qtype)), lookupText(wanted))
    const addresses = oracle.findAddresses(qname).map(rrsetText)
    sameOrThrow(`${about} addresses`, zone.findAddresses(qname).map(rrsetText), addresses)
  }
  return questions.length
}

/** Makes the changes of the story. */
export function changeZone(
  zone: Pick<ListedZone, 'putRrset' | 'removeRrset'>,
  { changes }: ZoneStory,
): void {
  for (const change of changes) {
    if (change.kind === 'put') zone.putRrset(change.rrset.owner, change.rrset)
    else zone.removeRrset(change.owner, change.type)
  }
}

/** All records, sorted, one a line; owners in lower case. */
export function contentsOf(rrsets: Iterable<OwnedRrset>): string[] {
  return [...rrsets].map(ownedText).sort()
}

/** Inside a property an assertion per question would be many thousand lines of output. */
export function sameOrThrow(about: string, found: unknown, wanted: unknown): void {
  const foundText = JSON.stringify(found)
  const wantedText = JSON.stringify(wanted)
  if (foundText !== wantedText) throw new Error(`${about}: ${foundText}, expected ${wantedText}`)
}

function lookupText(found: Lookup): string {
  switch (found.kind) {
    case 'hit':
    case 'cname':
      return `${found.kind} ${rrsetText(found.rrset)}`
    case 'dname':
      return `dname ${ownedText(found.dname)}`
    case 'referral':
      return `referral ${ownedText(found.ns)}`
    case 'nodata':
    case 'nxdomain':
      return `${found.kind} ${ownedText(found.soa)}`
  }
}

function ownedText(rrset: OwnedRrset): string {
  return `${formatName(rrset.owner).toLowerCase()} ${rrsetText(rrset)}`
}

function rrsetText({ type, ttlSeconds, rdatas }: Rrset): string {
  return `${type} ${ttlSeconds} ${rdatas.map(rdata => Buffer.from(rdata).toString('hex')).join()}`
}
