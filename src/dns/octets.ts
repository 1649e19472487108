// Numbers of 16 bits among octets, in network byte order.

/** The number at `at`. */
export function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}

export function put16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value
}
