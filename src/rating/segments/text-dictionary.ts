import type { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** Gathers texts, each once. They are written before the data that refers to them by index. */
export class TextDictionary {
  readonly #indexByText = new Map<string, number>()
  readonly #texts = new ByteWriter()

  /** Octets so far. */
  get length(): number {
    return this.#texts.length
  }

  indexOf(text: string): number {
    const known = this.#indexByText.get(text)
    if (known !== undefined) return known
    const index = this.#indexByText.size
    this.#indexByText.set(text, index)
    this.#texts.text(text)
    return index
  }

  writeTo(writer: ByteWriter): void {
    writer.varint(this.#indexByText.size)
    writer.append(this.#texts.bytes)
  }
}

/** The text at an index. @throws RangeError there is none */
export type Texts = (index: number) => string

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
  return index => {
    const known = texts[index]
    if (known !== undefined) return known
    if (index >= count) throw new RangeError(`a dictionary lacks text ${index}`)
    const text = bytes.toString('utf8', starts[index], ends[index])
    texts[index] = text
    return text
  }
}
