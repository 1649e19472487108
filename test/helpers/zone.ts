import { lowerCaseName, type Name, parseName } from '../../src/dns/name.ts'
import { parseRdata, typeCode } from '../../src/dns/rdata/index.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { ListedZone } from './oracle/listed-zone.ts'
import { ZoneSet } from './oracle/zone-set.ts'

// Zones as text: one record a line, `owner ttl type rdata`. The first owner is absolute and is the apex;
// later names may be relative to it, `@` is the apex itself, `;` at the start of a line is a comment.

/** Returns the RRsets in order of first mention; the TTL is that of the first record. */
export function rrsetsFromText(text: string): OwnedRrset[] {
  const rrsets = new Map<string, OwnedRrset & { rdatas: Uint8Array[] }>()
  let apex: Name | undefined
  for (const line of text.split('\n').map(raw => raw.trim())) {
    if (line === '' || line.startsWith(';')) continue
    const [, ownerText = '', ttlText = '', mnemonic = '', rdataText = ''] =
      /^(\S+)\s+(\S+)\s+(\S+)\s*(.*)$/.exec(line) ?? []
    const owner = parseName(ownerText, apex)
    apex ??= owner
    const type = codeOf(mnemonic)
    const key = `${lowerCaseName(owner)} ${type}`
    const rrset = rrsets.get(key) ?? { owner, type, ttlSeconds: Number(ttlText), rdatas: [] }
    rrset.rdatas.push(parseRdata(type, rdataText, apex))
    rrsets.set(key, rrset)
  }
  return [...rrsets.values()]
}

export function zoneFromText(text: string): ListedZone {
  return new ListedZone(rrsetsFromText(text))
}

export function zonesFromText(...texts: string[]): ZoneSet {
  return zoneSetOf(...texts.map(zoneFromText))
}

export function zoneSetOf(...zones: readonly ListedZone[]): ZoneSet {
  const set = new ZoneSet()
  for (const zone of zones) set.publish(zone)
  return set
}

/** Returns the code of a type that a test names. */
export function codeOf(mnemonic: string): number {
  const code = typeCode(mnemonic)
  if (code === undefined) throw new Error(`no such type: ${mnemonic}`)
  return code
}
