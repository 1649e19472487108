import type { DnssecKey } from '../../model/dnssec-key.ts'
import type { DnssecState } from '../../service/dnssec/dnssec.ts'

const algorithmNames: Readonly<Record<number, string>> = {
  8: 'RSASHA256',
  13: 'ECDSAP256SHA256',
  15: 'ED25519',
}

const isServed = ({ state }: DnssecKey['dnskey']) => state === 'RUMOURED' || state === 'OMNIPRESENT'

/** The keys of a zone. The id of a key is its tag: in PowerDNS it is a number. */
export function cryptoKeysView({ keys, ds }: DnssecState): object[] {
  return keys.map(({ row, dnskey }) => ({
    type: 'Cryptokey',
    id: row.tag,
    keytype: row.role.toLowerCase(),
    active: isServed(row.zoneSignatures ?? row.dnskey),
    published: isServed(row.dnskey),
    flags: Number.parseInt(dnskey, 10),
    dnskey,
    algorithm: algorithmNames[row.algorithm] ?? '',
    ds: ds.filter(text => text.startsWith(`${row.tag} ${row.algorithm} `)),
  }))
}
