// Numbers and names among octets, in network byte order, read in place.

/** The number of 16 bits at `at`. */
export function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}

/** The number of 32 bits at `at`. */
export function u32(octets: Uint8Array, at: number): number {
  return u16(octets, at) * 0x1_0000 + u16(octets, at + 2)
}

export function put16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value
}

const pointerFlags = 0xc0
const maxLabelOctets = 0x3f

/** Returns where the name at `start` ends, counting a pointer as its end; -1 where it is cut off or points forward. Its cost does not
 *  depend on pointers. */
export function skipName(octets: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end) {
    const length = octets[at] as number
    if (length === 0) return at + 1
    if (length >= pointerFlags) {
      const isBack = at + 1 < end && (u16(octets, at) & 0x3fff) < at
      return isBack ? at + 2 : -1
    }
    if (length > maxLabelOctets) return -1
    at += 1 + length
  }
  return -1
}
