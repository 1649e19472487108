import { createPrivateKey } from 'node:crypto'
import { signWith } from './key.ts'

/** The work of a signing thread. */
export type SigningBatch = {
  /** PKCS#8 in DER. */
  readonly privateKeys: readonly Uint8Array[]
  readonly data: readonly Uint8Array[]
  /** The index of the key that signs each piece of data. */
  readonly by: readonly number[]
}

/** The same for transfer to a thread: two pieces of memory, instead of some hundred that would be transferred one by one. */
type PackedBatch = Pick<SigningBatch, 'privateKeys' | 'by'> & Packed

/** Concatenated pieces of octets, and where each ends. */
export type Packed = { readonly octets: Uint8Array; readonly ends: Int32Array }

export function packed(pieces: readonly Uint8Array[]): Packed {
  const ends = new Int32Array(pieces.length)
  let end = 0
  for (const [i, { length }] of pieces.entries()) {
    end += length
    ends[i] = end
  }
  const octets = new Uint8Array(end)
  for (const [i, piece] of pieces.entries()) octets.set(piece, (ends[i] as number) - piece.length)
  return { octets, ends }
}

/** The pieces, as views of the memory received. */
export function unpacked({ octets, ends }: Packed): Uint8Array[] {
  return Array.from(ends, (end, i) => octets.subarray(i === 0 ? 0 : ends[i - 1], end))
}

/** Signs each piece of data; returns the signatures in the same form. */
export function signPacked({ privateKeys, by, ...pieces }: PackedBatch): Packed {
  return packed(signBatch({ privateKeys, by, data: unpacked(pieces) }))
}

/** Signs each piece of data. */
export function signBatch({ privateKeys, data, by }: SigningBatch): Uint8Array[] {
  const keys = privateKeys.map(key =>
    createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' }),
  )
  return data.map((octets, i) => {
    const key = keys[by[i] ?? -1]
    if (key === undefined) throw new Error('there is no key to sign with')
    return signWith(key, octets)
  })
}
