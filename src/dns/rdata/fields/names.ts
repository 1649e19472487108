import type { Name } from '../../name.ts'
import type { Field } from '../field.ts'
import { name } from './name.ts'

/** Names to the end, uncompressed; may be none. */
export const names: Field<readonly Name[]> = {
  decode(reader) {
    const all: Name[] = []
    while (reader.remainingOctets > 0) all.push(name.decode(reader))
    return all
  },
  encode(all, writer) {
    for (const one of all) name.encode(one, writer)
  },
  parse(text) {
    const all: Name[] = []
    while (!text.isAtEnd) all.push(name.parse(text))
    return all
  },
  format: all => all.map(name.format).join(' '),
}
