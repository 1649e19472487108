import { type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'

// The fields of answers, each with an example. The examples of the document are composed from them.

/** An id with dashes. */
export const uuid = Type.String({
  format: 'uuid',
  examples: ['a86dba58-0043-4cc6-a1bb-69d5e86f3ca3'],
})

/** An id of the identity service, or of a project of another one. */
export const plainId = Type.String({ examples: ['4d74fe0d117340a498e2b00f62f7a520'] })

export const timestamp = Type.String({
  description: 'UTC, with microseconds',
  examples: ['2026-11-21T12:00:00.000007'],
})

/** Whole seconds with an offset, as the rating group writes them. */
export const second = Type.String({ examples: ['2026-11-01T00:00:00+00:00'] })

/** Whole seconds without an offset, as CloudKitty's first API writes them. */
export const bareSecond = Type.String({ examples: ['2026-11-01T00:00:00'] })

/** Money or a quantity as text: a float would lose digits. */
export const amount = Type.String({ examples: ['12.50'] })

export const link = Type.String({ format: 'uri', examples: ['http://127.0.0.1:9001/v2/zones'] })

export const flag = Type.Boolean({ examples: [true] })

export const text = (example: string) => Type.String({ examples: [example] })

export const whole = (example: number) => Type.Integer({ examples: [example] })

export const number = (example: number) => Type.Number({ examples: [example] })

export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

export const oneOf = <V extends string[]>(...values: V) => Type.Enum<V>([...values])

export const listOf = <S extends TSchema>(items: S) => Type.Array(items)

/** A list of objects with these fields. */
export const objectsWith = <P extends TProperties>(fields: P) => listOf(Type.Object(fields))

/** Texts by names that clients choose. */
export const texts = (example: Readonly<Record<string, string>>) =>
  Type.Record(Type.String(), Type.String(), { examples: [example] })

/** Anything by any name. */
export const anything = (example: object) =>
  Type.Record(Type.String(), Type.Unknown(), { examples: [example] })

/** An object that the document describes once, under its title, and refers to elsewhere.
 *  @param examples composed from those of the fields, unless given */
export const component = <P extends TProperties>(
  title: string,
  fields: P,
  ...examples: readonly object[]
) => Type.Object(fields, described(title, examples))

/** The body of a request, without other keys; its title names it in messages. */
export const requestBody = <P extends TProperties>(
  title: string,
  fields: P,
  ...examples: readonly object[]
) => closed(fields, described(title, examples))

/** An object without other keys: a part of the body of a request. */
export const closed = <P extends TProperties>(fields: P, options: TObjectOptions = {}) =>
  Type.Object(fields, { ...options, additionalProperties: false })

function described(title: string, examples: readonly object[]): TObjectOptions {
  return { title, ...(examples.length > 0 && { examples }) }
}

/** Fields that may be left out. */
export const partly = <P extends TProperties>(fields: P) =>
  Type.Partial(Type.Object(fields)).properties

export const selfLink = Type.Object({ self: link })

/** A page of a list. It has a `next` if there are more. */
export function pageOf<S extends TSchema>(key: string, items: S) {
  return Type.Object({
    [key]: Type.Array(items),
    links: Type.Object({ self: link, next: Type.Optional(link) }),
  })
}

/** The same with the total count. */
export function countedPageOf<S extends TSchema>(key: string, items: S) {
  return Type.Object({
    ...pageOf(key, items).properties,
    metadata: Type.Object({ total_count: Type.Optional(whole(1)) }),
  })
}
