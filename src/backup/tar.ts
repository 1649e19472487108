// The header of a file in a tar archive (POSIX.1-2001, "ustar"). Only regular files; names have at most 100 octets.

/** Archives consist of blocks. */
export const blockOctets = 512

export type TarEntry = {
  /** Relative, with slashes. */
  readonly name: string
  readonly octets: number
}

const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const satisfies Record<string, readonly [at: number, octets: number]>

/** The largest size in octal; above it GNU's base 256 is used, which all readers know. */
const maxOctalSize = 8 ** 11 - 1
const regularFile = '0'
const magic = 'ustar\u000000'

/** The header of a file that only its owner may read. @throws RangeError the name is too long */
export function encodeTarHeader({ name, octets }: TarEntry, atSeconds: number): Buffer {
  const block = Buffer.alloc(blockOctets)
  if (Buffer.byteLength(name) > fields.name[1]) throw new RangeError(`${name} is too long for tar`)
  const put = ([at]: readonly [number, number], text: string) => block.write(text, at, 'latin1')
  const putOctal = (field: readonly [number, number], value: number) =>
    put(field, value.toString(8).padStart(field[1] - 1, '0'))
  block.write(name)
  putOctal(fields.mode, 0o600)
  putOctal(fields.uid, 0)
  putOctal(fields.gid, 0)
  if (octets <= maxOctalSize) putOctal(fields.size, octets)
  else {
    block[fields.size[0]] = 0x80
    block.writeBigUInt64BE(BigInt(octets), fields.size[0] + 4)
  }
  putOctal(fields.mtime, atSeconds)
  put(fields.type, regularFile)
  put(fields.magic, magic)
  put(fields.checksum, `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** The file described by a header; undefined if the block is not a header, or not that of a regular file. */
export function decodeTarHeader(block: Buffer): TarEntry | undefined {
  const text = ([at, octets]: readonly [number, number]) =>
    block.toString('utf8', at, at + octets).split('\0', 1)[0] ?? ''
  const sum = Number.parseInt(text(fields.checksum), 8)
  if (sum !== checksumOf(block) || text(fields.type) !== regularFile) return undefined
  const [sizeAt] = fields.size
  const octets =
    block[sizeAt] === 0x80
      ? Number(block.readBigUInt64BE(sizeAt + 4))
      : Number.parseInt(text(fields.size), 8)
  return Number.isSafeInteger(octets) && octets >= 0
    ? { name: text(fields.name), octets }
    : undefined
}

/** Padding octets after a file up to the next block. */
export function paddingOf(octets: number): number {
  return (blockOctets - (octets % blockOctets)) % blockOctets
}

/** The sum of all octets, with the checksum field read as spaces. */
function checksumOf(block: Buffer): number {
  const [at, octets] = fields.checksum
  let sum = octets * 0x20
  for (let i = 0; i < blockOctets; i += 1) {
    if (i < at || i >= at + octets) sum += block[i] ?? 0
  }
  return sum
}
