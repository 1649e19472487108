import type { Field } from '../field.ts'
import { u8, u16 } from './integers.ts'

/** A number that may be written as a mnemonic. */
function code(number: Field<number>, codes: Readonly<Record<string, number>>): Field<number> {
  const codeByMnemonic = new Map(Object.entries(codes))
  return {
    ...number,
    parse(text) {
      const known = codeByMnemonic.get(text.peek()?.raw.toUpperCase() ?? '')
      if (known === undefined) return number.parse(text)
      text.next('a mnemonic')
      return known
    },
  }
}

/** A number that is written as its mnemonic where it has one. */
function named(number: Field<number>, codes: Readonly<Record<string, number>>): Field<number> {
  const mnemonicByCode = new Map(
    Object.entries(codes).map(([mnemonic, value]) => [value, mnemonic]),
  )
  return {
    ...code(number, codes),
    format: value => mnemonicByCode.get(value) ?? number.format(value),
  }
}

/** A DNSSEC algorithm (IANA DNS Security Algorithm Numbers), written as its number. */
export const algorithm = code(u8, {
  DELETE: 0,
  RSAMD5: 1,
  DH: 2,
  DSA: 3,
  RSASHA1: 5,
  'DSA-NSEC3-SHA1': 6,
  'RSASHA1-NSEC3-SHA1': 7,
  NSEC3RSASHA1: 7,
  RSASHA256: 8,
  RSASHA512: 10,
  'ECC-GOST': 12,
  ECCGOST: 12,
  ECDSAP256SHA256: 13,
  ECDSAP384SHA384: 14,
  ED25519: 15,
  ED448: 16,
  INDIRECT: 252,
  PRIVATEDNS: 253,
  PRIVATEOID: 254,
})

/** The type of a certificate (RFC 4398 section 2.1), written as its number. */
export const certificateType = code(u16, {
  PKIX: 1,
  SPKI: 2,
  PGP: 3,
  IPKIX: 4,
  ISPKI: 5,
  IPGP: 6,
  ACPKIX: 7,
  IACPKIX: 8,
  URI: 253,
  OID: 254,
})

/** How a DSYNC target is notified (RFC 9859 section 2.2), written as its mnemonic where it has one. */
export const notifyScheme = named(u8, { NOTIFY: 1 })

/** A port, by its number or as one of the services that zone files of WKS's time name. */
export const port = code(u16, {
  FTP: 21,
  SSH: 22,
  TELNET: 23,
  SMTP: 25,
  TIME: 37,
  DOMAIN: 53,
  FINGER: 79,
  HTTP: 80,
  POP3: 110,
  NNTP: 119,
  NTP: 123,
  IMAP: 143,
  HTTPS: 443,
})

/** An IP protocol, written as its number. */
export const ipProtocol = code(u8, { ICMP: 1, TCP: 6, UDP: 17 })
