// The numbers of the protocol (IANA DNS parameters). A table and nothing else.

export const opcodes = { query: 0, inverseQuery: 1, status: 2, notify: 4, update: 5 } as const

/** RFC 1035 section 4.1.1, RFC 2136 section 2.2, RFC 6891 section 9. Above 15 needs EDNS. */
export const rcodes = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  yxDomain: 6,
  yxRrset: 7,
  nxRrset: 8,
  notAuth: 9,
  notZone: 10,
  badVers: 16,
} as const

/** RFC 8945 section 5.2: what is wrong with a TSIG, in the record itself; the rcode beside them is NOTAUTH. */
export const tsigErrors = { badSig: 16, badKey: 17, badTime: 18, badTrunc: 22 } as const

export const classes = { in: 1, chaos: 3, hesiod: 4, none: 254, any: 255 } as const

/** Codes of the types this server knows by name; any other is written TYPEn (RFC 3597). */
export const types = {
  A: 1,
  NS: 2,
  MD: 3,
  MF: 4,
  CNAME: 5,
  SOA: 6,
  MB: 7,
  MG: 8,
  MR: 9,
  PTR: 12,
  HINFO: 13,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  RT: 21,
  PX: 26,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  KX: 36,
  CERT: 37,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
  URI: 256,
  CAA: 257,
} as const

export type TypeMnemonic = keyof typeof types
