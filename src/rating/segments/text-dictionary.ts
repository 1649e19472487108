import type { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** Gathers texts, each once, to be written before what refers to them by their place. */
export class TextDictionary {
  readonly #places = new Map<string, number>()
  readonly #texts = new ByteWriter()

  /** Octets so far. */
  get length(): number {
    return this.#texts.length
  }

  placeOf(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    const place = this.#places.size
    this.#places.set(text, place)
    this.#texts.text(text)
    return place
  }

  writeTo(writer: ByteWriter): void {
    writer.varint(this.#places.size)
    writer.append(this.#texts.bytes)
  }
}

/** The text at a place. @throws RangeError there is none */
export type Texts = (place: number) => string

/** Reads a dictionary. Texts are decoded when first asked for: most readers need few of them. */
export function readTexts(reader: ByteReader): Texts {
  const { bytes } = reader
  const count = reader.varint()
  const ends: number[] = []
  const starts: number[] = []
  for (let i = 0; i < count; i++) {
    const length = reader.varint()
    starts.push(reader.skip(length))
    ends.push(reader.position)
  }
  const texts: (string | undefined)[] = new Array(count)
  return place => {
    const known = texts[place]
    if (known !== undefined) return known
    if (place >= count) throw new RangeError(`a dictionary lacks text ${place}`)
    const text = bytes.toString('utf8', starts[place], ends[place])
    texts[place] = text
    return text
  }
}
