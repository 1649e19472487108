import { type Attributes, canonicalAttributes } from '../attributes.ts'
import { type DataPoint, projectOf } from '../data-point.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { TextDictionary, Texts } from './text-dictionary.ts'

/** What the points of one measurement over time have in common: everything but period and amounts. */
export type Series = {
  /** The project that the attributes name: the first key by which the store sorts and looks up. */
  readonly projectId: string
  readonly metric: string
  readonly unit: string
  /** Who wrote the points: `pushed`, or the collector they were rated from. */
  readonly origin: string
  readonly groupby: Attributes
  readonly metadata: Attributes
}

/** The series a point belongs to. */
export function seriesOf(point: DataPoint, origin: string): Series {
  return {
    projectId: projectOf(point),
    metric: point.metric,
    unit: point.unit,
    origin,
    groupby: canonicalAttributes(point.groupby),
    metadata: canonicalAttributes(point.metadata),
  }
}

/** A text that is equal for equal series of one project, and orders them. */
export function seriesKey({ metric, unit, origin, groupby, metadata }: Series): string {
  return JSON.stringify([metric, unit, origin, groupby, metadata])
}

// project | metric | unit | origin | groupby: pairs, then key and value in turn | metadata: same
// All are indexes in a dictionary.

export function writeSeries(writer: ByteWriter, series: Series, dictionary: TextDictionary): void {
  writer.varint(dictionary.indexOf(series.projectId))
  writer.varint(dictionary.indexOf(series.metric))
  writer.varint(dictionary.indexOf(series.unit))
  writer.varint(dictionary.indexOf(series.origin))
  for (const attributes of [series.groupby, series.metadata]) {
    const entries = Object.entries(attributes)
    writer.varint(entries.length)
    for (const [key, value] of entries) {
      writer.varint(dictionary.indexOf(key))
      writer.varint(dictionary.indexOf(value))
    }
  }
}

/** Reads a whole series. */
export function readSeries(reader: ByteReader, texts: Texts): Series {
  return {
    projectId: texts(reader.varint()),
    metric: texts(reader.varint()),
    unit: texts(reader.varint()),
    origin: texts(reader.varint()),
    groupby: readAttributes(reader, texts),
    metadata: readAttributes(reader, texts),
  }
}

/** A written series whose attributes are read when first asked for: a sum needs few of them. */
export class WrittenSeries implements Series {
  readonly projectId: string
  readonly metric: string
  readonly unit: string
  readonly origin: string
  readonly #attributes: ByteReader
  readonly #texts: Texts
  #groupby: Attributes | undefined
  #metadata: Attributes | undefined

  /** Reads as far as the attributes; the reader is the series' own. */
  constructor(reader: ByteReader, texts: Texts) {
    this.projectId = texts(reader.varint())
    this.metric = texts(reader.varint())
    this.unit = texts(reader.varint())
    this.origin = texts(reader.varint())
    this.#attributes = reader
    this.#texts = texts
  }

  get groupby(): Attributes {
    this.#groupby ??= readAttributes(this.#attributes, this.#texts)
    return this.#groupby
  }

  get metadata(): Attributes {
    if (this.#metadata === undefined) {
      // They stand behind the groupby attributes.
      this.#groupby ??= readAttributes(this.#attributes, this.#texts)
      this.#metadata = readAttributes(this.#attributes, this.#texts)
    }
    return this.#metadata
  }
}

function readAttributes(reader: ByteReader, texts: Texts): Attributes {
  const attributes: Record<string, string> = {}
  for (let count = reader.varint(); count > 0; count--) {
    const key = texts(reader.varint())
    const value = texts(reader.varint())
    if (key === '__proto__') Object.defineProperty(attributes, key, ownValue(value))
    else attributes[key] = value
  }
  return attributes
}

/** Keeps `__proto__` an attribute like any other. */
function ownValue(value: string): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}
