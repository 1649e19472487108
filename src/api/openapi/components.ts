import type { TSchema } from 'typebox'

// JSON Schema as TypeBox writes it, in the form of an OpenAPI document.

type Json = Readonly<Record<string, unknown>>

/** The parts that a document defines once and references. Schemas with a title are such parts. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly responses: Record<string, Json> = {}
  readonly #names = new Map<object, string>()
  readonly #namesByText = new Map<string, string>()
  readonly #responseNames = new Map<string, string>()

  /** @param suffix distinguishes a resource as it is sent from the resource as it is shown */
  schema(schema: TSchema, suffix = ''): Json {
    const { title } = schema as { title?: string }
    if (title === undefined) return this.#inner(schema, suffix)
    return { $ref: `#/components/schemas/${this.#nameOf(schema, pascalCase(title) + suffix)}` }
  }

  /** A schema with its example, which is where the schema is. */
  content(schema: TSchema, suffix = ''): Json {
    const converted = this.schema(schema, suffix)
    return {
      schema: converted,
      ...(converted.$ref === undefined && { example: exampleOf(schema) }),
    }
  }

  /** A response that many operations have: one for each key.
   *  @param prefix what its name begins with */
  response(key: string, prefix: string, make: () => Json): Json {
    let name = this.#responseNames.get(key)
    if (name === undefined) {
      name = unusedName(this.responses, prefix)
      this.#responseNames.set(key, name)
      this.responses[name] = make()
    }
    return { $ref: `#/components/responses/${name}` }
  }

  #nameOf(schema: TSchema, wanted: string): string {
    const known = this.#names.get(schema)
    if (known !== undefined) return known
    const inner = { ...this.#inner(schema, ''), examples: [exampleOf(schema)] }
    const text = JSON.stringify([wanted, inner])
    const name = this.#namesByText.get(text) ?? unusedName(this.schemas, wanted)
    this.#namesByText.set(text, name)
    this.#names.set(schema, name)
    this.schemas[name] = inner
    return name
  }

  /** A schema with its own parts replaced by references. */
  #inner(schema: object, suffix: string): Json {
    const entries = Object.entries(schema).map(([key, value]) => [
      key,
      key === 'examples' || key === 'enum' || key === 'const' ? value : this.#part(value, suffix),
    ])
    return Object.fromEntries(entries)
  }

  #part(value: unknown, suffix: string): unknown {
    if (Array.isArray(value)) return value.map(item => this.#part(item, suffix))
    if (typeof value !== 'object' || value === null) return value
    const isTitled = 'title' in value && typeof value.title === 'string' && 'type' in value
    return isTitled ? this.schema(value as TSchema, suffix) : this.#inner(value, suffix)
  }
}

function unusedName(taken: Readonly<Record<string, unknown>>, wanted: string): string {
  let name = wanted
  for (let i = 2; Object.hasOwn(taken, name); i++) name = wanted + i
  return name
}

function pascalCase(text: string): string {
  return text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase())
}

type Schema = {
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly type?: string | readonly string[]
}

const plainExamples: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 1,
  number: 1.5,
  boolean: true,
  null: null,
}

/** An example of a schema's value, from the examples of its parts. */
function exampleOf(schema: Schema): unknown {
  const [given] = schema.examples ?? []
  if (given !== undefined) return given
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return exampleOf(first)
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties)
    return Object.fromEntries(fields.map(([key, part]) => [key, exampleOf(part)]))
  }
  const [values] = Object.values(schema.patternProperties ?? {})
  if (values !== undefined) return { name: exampleOf(values) }
  if (schema.items !== undefined) return [exampleOf(schema.items)]
  return plainExamples[[schema.type ?? 'null'].flat()[0] ?? 'null']
}
