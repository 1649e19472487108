import type { Field } from '../field.ts'

/** Items to the end; may be none. */
export function listOf<T>(item: Field<T>): Field<readonly T[]> {
  return {
    decode(reader) {
      const all: T[] = []
      while (reader.remainingOctets > 0) all.push(item.decode(reader))
      return all
    },
    encode(all, writer) {
      for (const one of all) item.encode(one, writer)
    },
    parse: text => text.all(item.parse),
    format: all => all.map(one => item.format(one)).join(' '),
  }
}
