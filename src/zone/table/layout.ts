// Where things are in the memory of a zone table. It is cut into words of 32 bits, and a reference to a block
// (a name, an RRset) is the index of its first word: always even, below 2^31, and 0 for none. README.md draws
// the blocks.

/** To be incremented with every change that a reader has to know: of this file, of how names are hashed, of how an
 *  RRset is written. */
export const tableFormat = 5

/** Blocks are cut from pages; the first page is the header. */
export const pageShift = 14
export const pageWords = 1 << pageShift
export const pageOctets = 4 * pageWords
/** So that every reference is a small positive integer, also to the compiler: 8 GiB. */
export const maxWords = 2 ** 31

/** The header: words that are written once, or that readers and the writer share. */
export const header = {
  /** The epoch that a batch begins in (`epochs.ts`). */
  epoch: 2,
  /** The directory of the name index. */
  directory: 4,
  /** The secret of the name hash (`name-key.ts`): a factor, a start, a value for each octet. */
  hashFactor: 6,
  hashStart: 7,
  hashValues: 256,
  /** One cache line for each reader: the epoch that the reader is in, 0 when it is in none. */
  readers: 1024,
} as const

export const readerWords = 16
/** As many threads as can be configured, plus those of pools. */
export const maxReaders = 512

/** An entry is what the name index refers to: a node of a zone, or an apex of a target. The key is the name
 *  and its namespace: the zone, or the target. */
export const entry = {
  /** Octets of the whole name in the low 8 bits, labels in the next 8, and what is below. Never changes. */
  shape: 0,
  /** The node above; where `topFlag` is set, the namespace. Never changes. */
  above: 1,
  /** Nodes: 0, an RRset, or a list of RRsets with `listTag` set. Apexes of targets: the zone that is served. */
  data: 2,
  zone: 2,
  /** Nodes: children in the low 28 bits, and the two flags below. */
  state: 3,
  /** All entries of one namespace are a circular list without a beginning. */
  next: 4,
  previous: 5,
  /** The whole name as given, where that differs from its lower-case form; otherwise 0. */
  given: 6,
  /** Lower-case, aligned so that it ends where a word ends; without the last `cutWords`, which the zone's apex has. */
  name: 7,
} as const

/** Words of a cache line. */
export const lineWords = 16

/** In `entry.shape`: the first RRset lies behind the name, in the same block. */
export const inlineFlag = 0x1_0000
/** There is no node above: the apex of a zone, or that of a target. */
export const topFlag = 0x2_0000
/** Above those: the words of the name that its zone's apex has, and the entry has not. */
export const cutShift = 18

/** Added to a reference in `entry.data`. */
export const listTag = 1

/** In `entry.state`. */
export const childCountMask = 0x0fff_ffff
/** There is a child `*`. */
export const wildcardFlag = 0x1000_0000
/** There is an NS or DNAME here, or was a moment ago: a reader that walks up looks at the data. */
export const barrierFlag = 0x2000_0000

/** A zone, beside its nodes. */
export const zone = {
  apex: 0,
  /** Which of the zone counters are its own (`counters.ts`). */
  number: 1,
  /** `zoneStates` that hold. */
  states: 2,
  nodeCount: 3,
  rrsetCount: 4,
  /** Targets that serve it. */
  publishCount: 5,
  /** Its signing block; 0 for a zone without signatures. */
  signing: 6,
  /** Seconds since 1970 until when a secondary's data is good; 0 where the data does not expire. */
  expiresAt: 7,
} as const
export const zoneWords = 8

/** What keeps a zone from being answered from: its data is too old, or for its secondaries only. And whether its RRsets
 *  without a signature are signed when they are queried. */
export const zoneStates = { isExpired: 1, isPrivate: 2, isSignedOnDemand: 4 } as const

/** What a zone with signatures has beside its nodes: the roots of two order indexes (`order-index.ts`), of the nodes that
 *  have an NSEC, and of NSEC3 entries; 0 for one without entries. And how often a change of it has begun or ended: odd
 *  during a change (`zone-moments.ts`). */
export const signing = { names: 0, hashes: 1, changes: 2 } as const
export const signingWords = 4

/** An NSEC3 RRset with its signature, under the hash of its owner's first label (RFC 5155 section 3). It is not a node:
 *  no query finds it by its name (section 7.2.8). Never changes. */
export const nsec3Entry = { rrset: 0, signature: 1, hash: 2 } as const
export const nsec3EntryWords = 8
/** SHA-1. */
export const hashWords = 5

/** A page of an order index: how many items it has, and in the upper bits how many levels are below it. A leaf's items
 *  are entries, ascending, and it never changes but for entries that move. Those of other pages are a page and the first
 *  entry in it. Behind the items there is one word for each entry: its four octets after those that all entries of the
 *  page have in common (`OrderIndex.excerptOf`). */
export const orderPage = { head: 0, skipped: 1, items: 2 } as const
export const orderCountMask = 0xffff
export const orderLevelShift = 16

/** One RRset: type and count, TTL, then each rdata behind its length of two octets. Never changes. */
export const rrset = { head: 0, ttlSeconds: 1, rdatas: 2 } as const
/** In `rrset.head`: the type below, the number of records above. */
export const typeMask = 0xffff
export const countShift = 16

/** Several RRsets of one node, or one with a signature: how many, and how many words each takes: type, RRset and, where
 *  any of them is signed, the RRSIG that cover it. Ascending by type; 0 for an absent one. Never changes. */
export const list = { count: 0, itemWords: 1, items: 2 } as const
export const plainItemWords = 2
export const signedItemWords = 3

/** A target: how many of its zones have an apex of so many labels, from 0 to 127, and one of its apexes. */
export const target = { apexCounts: 0, anyApex: 128, zoneCount: 129 } as const
export const targetWords = 130
