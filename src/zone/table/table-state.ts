// The state that the writer of a table keeps beside the memory. With both, another process continues from this point.

export type TableState = {
  /** The state that `Slabs` keeps of each page that was ever in use. */
  readonly pages: Int32Array
  /** Blocks that waited for readers. */
  readonly retired: Int32Array
  /** The zones by zone number; 0 for none. */
  readonly zones: Int32Array
  /** Zones that are unreachable and not taken apart yet. */
  readonly withdrawn: Int32Array
}

const members = ['pages', 'retired', 'zones', 'withdrawn'] as const

/** The state in one piece: the word count of each member, then the words of each. */
export function encodeTableState(state: TableState): Int32Array<ArrayBuffer> {
  const wordCounts = members.map(name => state[name].length)
  const encoded = new Int32Array(members.length + wordCounts.reduce((sum, count) => sum + count))
  encoded.set(wordCounts)
  let end = members.length
  for (const name of members) {
    encoded.set(state[name], end)
    end += state[name].length
  }
  return encoded
}

export function decodeTableState(encoded: Int32Array): TableState {
  let end = members.length
  const next = (member: number) => {
    const start = end
    end += encoded[member] as number
    return encoded.subarray(start, end)
  }
  return { pages: next(0), retired: next(1), zones: next(2), withdrawn: next(3) }
}
