// Memory in which answering threads report their answers: the rules, which the main thread writes, and for each reader of
// the zone table a ring of entries, which its thread writes and the main thread reads.

/** Words. */
export const control = {
  /** One query in so many is sampled by each thread; 0: none. */
  sampledOf: 0,
  /** How many rules there are; they begin at `rules`. */
  ruleCount: 1,
  rules: 16,
} as const

export const maxRules = 16

/** Words of a rule. */
export const rule = {
  /** -1: any. */
  zoneNumber: 0,
  /** Octets of the client's address: 4 or 16; 0: any client. */
  addressOctets: 1,
  /** How many of its first bits have to match. */
  bits: 2,
  /** One in so many is noted by each thread. */
  sampledOf: 3,
  address: 4,
} as const
export const ruleWords = 8

const controlWords = control.rules + maxRules * ruleWords

/** Words of a ring, each but the last in a cache line of its own. */
export const ring = { head: 0, tail: 16, lostCount: 32, entries: 48 } as const

export const ringOctets = 256 * 1024
const ringWords = ring.entries + ringOctets / 4

/** Words of an entry; the request and the response follow. Entries are multiples of eight octets. */
export const entry = {
  /** Octets of the whole entry; -1 means that the next entry is at the start of the ring. */
  octets: 0,
  /** `sampled`, or-ed with a bit for each rule. */
  why: 1,
  /** 0: UDP; 1: TCP. */
  transport: 2,
  /** -1: none. */
  zoneNumber: 3,
  /** How many queries it represents as a sample. */
  weight: 4,
  rcode: 5,
  requestOctets: 6,
  /** 0 where it is not kept. */
  responseOctets: 7,
  /** Milliseconds since 1970, as a double. */
  atMillis: 8,
  /** 4 or 16; 0 where it is not known. */
  addressOctets: 10,
  /** The length of the response. */
  sentOctets: 11,
  address: 12,
  message: 16,
} as const

/** In `why`, above the rules. */
export const sampled = 1 << maxRules

export const maxRequestOctets = 1024
export const maxResponseOctets = 4096

/** Where a reader's ring begins, in words. */
export function ringAt(reader: number): number {
  return controlWords + reader * ringWords
}

/** Reserves the memory; only what is used of it is taken. */
export function reserveTap(readerCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * ringAt(readerCount))
}
