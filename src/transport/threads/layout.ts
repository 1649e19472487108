// Linux constants that are the same on x64 and arm64 (asm-generic), and the structures as laid out on
// both: 64-bit pointers and lengths, little endian. `self-test.ts` checks them against the running system.

export const families = { inet: 2, inet6: 10 } as const
export const socketType = { datagram: 2, closeOnExec: 0o2000000 } as const

export const levels = { socket: 1, ip: 0, ipv6: 41 } as const

export const socketOptions = {
  sendBuffer: 7,
  receiveBuffer: 8,
  reusePort: 15,
  receiveTimeout: 20,
  sendTimeout: 21,
  receiveBufferForce: 33,
} as const

export const ipOptions = { packetInfo: 8, pathDiscovery: 10 } as const
/** Datagrams are never fragmented, and learned path MTUs are ignored. */
export const probePath = 3
export const ipv6Options = { v6Only: 26, receivePacketInfo: 49 } as const

export const messageFlags = { doNotWait: 0x40, waitForOne: 0x1_0000 } as const

/** `errno` values. */
export const errors = {
  interrupted: 4,
  badDescriptor: 9,
  again: 11,
  badAddress: 14,
  invalid: 22,
  notSocket: 88,
} as const

/** Offsets and sizes, in octets, of the structures for `recvmmsg` and `sendmmsg`. */
export type Layout = {
  /** `struct mmsghdr` */
  readonly messageOctets: number
  readonly nameAt: number
  readonly nameOctetsAt: number
  readonly partsAt: number
  readonly partCountAt: number
  readonly controlAt: number
  readonly controlOctetsAt: number
  readonly lengthAt: number
  /** `struct iovec` */
  readonly partOctets: number
  readonly baseAt: number
  readonly baseOctetsAt: number
}

export const linuxLayout: Layout = {
  messageOctets: 64,
  nameAt: 0,
  nameOctetsAt: 8,
  partsAt: 16,
  partCountAt: 24,
  controlAt: 32,
  controlOctetsAt: 40,
  lengthAt: 56,
  partOctets: 16,
  baseAt: 0,
  baseOctetsAt: 8,
}

/** `struct pollfd` */
export const pollEntry = { octets: 8, descriptorAt: 0, wantedAt: 4, readyAt: 6 } as const
export const pollIn = 1

/** Offsets of the interface in `struct in_pktinfo` and `struct in6_pktinfo`, which follow their `struct cmsghdr`. */
export const packetInfo = {
  inet: { octets: 32, interfaceAt: 16 },
  inet6: { octets: 40, interfaceAt: 32 },
} as const

export const memoryAdvice = { hugePages: 14 } as const
/** The largest base page size of any system: 4 kB on x64, and 4, 16 or 64 kB on arm64. The kernel refuses addresses that
 *  are not a multiple of the page size. */
export const pageOctets = 65_536
