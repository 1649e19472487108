/** An RRset as octets, its records in the form of the zone table and the store: each behind its length, in two octets,
 *  network order. A receiver copies what it needs: any later change may overwrite the octets. */
export type RrsetOctets = {
  readonly octets: Uint8Array
  /** Where the owner begins: uncompressed, case as given. */
  readonly ownerAt: number
  readonly type: number
  readonly ttlSeconds: number
  readonly recordCount: number
  /** Where the first record begins. */
  readonly rdatasAt: number
  /** Where the last record ends. */
  readonly rdatasEnd: number
}

/** Octets of the length in front of a record. */
export const rdataLengthOctets = 2

/** Where the record with its length at `at` ends. */
export function rdataEnd(octets: Uint8Array, at: number): number {
  return at + rdataLengthOctets + (((octets[at] as number) << 8) | (octets[at + 1] as number))
}

/** Where an uncompressed name, known to be well-formed, ends. */
export function nameEnd(octets: Uint8Array, at: number): number {
  let end = at
  while ((octets[end] as number) !== 0) end += 1 + (octets[end] as number)
  return end + 1
}
