import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { addressOf, type OpenApiDocument, openApiDocument } from '../../src/api/openapi/document.ts'
import type { Mount } from '../../src/api/route-table.ts'

// Checks a server's responses against its own OpenAPI document.

/** A request and its response. */
export type Answered = {
  readonly method: string
  /** Without the server's address; with or without the query. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  /** Parsed JSON, or undefined where there is none. */
  readonly body: unknown
}

type Responses = Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>
type Operation = { readonly responses: Responses }

/** A path of the document that addresses may match. */
type KnownPath = {
  readonly pattern: RegExp
  readonly path: string
  readonly operations: Readonly<Record<string, unknown>>
}

/** An OpenAPI document with its schemas compiled as they are needed. */
export class Documented {
  readonly document: OpenApiDocument
  readonly #paths: readonly KnownPath[]
  // Most checks run a few times, so they are compiled quickly: each referenced schema once, as it is.
  readonly #ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, validateFormats: false },
    ...{ inlineRefs: false, validateSchema: false, code: { optimize: false } },
  })
  readonly #checks = new Map<string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.document = document
    // An undocumented property is an error.
    this.#ajv.addSchema({ $id: 'document', ...(closed(document) as object) })
    this.#paths = Object.entries(document.paths)
      .map(([path, operations]) => ({ path, operations, pattern: patternOf(path) }))
      .sort((one, other) => (specificity(one.path) < specificity(other.path) ? -1 : 1))
  }

  /** What differs from the document; undefined where nothing does. */
  problemOf(answered: Answered): string | undefined {
    const { method, status, contentType, body } = answered
    // The server accepts a second slash after the base of a mount.
    const sent = status === 404 ? answered.path : answered.path.replaceAll(/\/{2,}/g, '/')
    const path = sent.replace(/\?.*$/s, '').replace(/(.)\/$/, '$1')
    if (method === 'HEAD' && status === 405) return undefined
    // The console's pages, and the redirect that takes browsers there, are not part of the API.
    if (path.startsWith('/console') || (path === '/' && status === 302)) return undefined
    const known = this.#paths.find(({ pattern }) => pattern.test(path))
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = known?.operations[verb] as Operation | undefined
    if (known === undefined || operation === undefined) {
      // A client may request a path that does not exist.
      return [300, 401, 404, 405].includes(status)
        ? undefined
        : `${status}, and it is not documented`
    }
    if (operation.responses[status] === undefined) return `${status} is not documented`
    if (body === undefined || !contentType?.startsWith('application/json')) return undefined
    const check = this.#checkFor(known.path, verb, status)
    if (check === undefined) return `a body with ${status} is not documented`
    return check(body) ? undefined : `${status}: ${this.#ajv.errorsText(check.errors)}`
  }

  #checkFor(path: string, verb: string, status: number): ValidateFunction | undefined {
    const pointer = this.#pointerOf(path, verb, status)
    if (pointer === undefined) return undefined
    const check = this.#checks.get(pointer) ?? this.#ajv.compile({ $ref: `document#${pointer}` })
    this.#checks.set(pointer, check)
    return check
  }

  #pointerOf(path: string, verb: string, status: number): string | undefined {
    const operation = this.document.paths[path]?.[verb] as Operation | undefined
    const response = operation?.responses[status]
    const tail = '/content/application~1json/schema'
    if (response?.$ref !== undefined) return response.$ref.slice(1) + tail
    const steps = ['paths', path, verb, 'responses', String(status)].map(escapeStep)
    return response?.content === undefined ? undefined : `/${steps.join('/')}${tail}`
  }
}

const compiled = new Map<string, Documented>()

/** The document of mounts under test; shared by all servers of a process with the same routes. */
export function documentedBy(mounts: readonly Mount[]): Documented {
  const key = mounts
    .flatMap(mount => mount.routes.map(route => `${route.method} ${addressOf(mount, route)}`))
    .join()
  const documented =
    compiled.get(key) ?? new Documented(openApiDocument(mounts, { version: '0.0.0' }))
  compiled.set(key, documented)
  return documented
}

function patternOf(path: string): RegExp {
  return new RegExp(
    `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  )
}

/** Sorts a literal segment before a parameter at the same place. */
function specificity(path: string): string {
  return path
    .split('/')
    .map(step => (step.startsWith('{') ? '1' : '0'))
    .join('')
}

/** A step of a JSON pointer within a URI (RFC 6901). */
function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, closed(part)])
  const isObject = 'type' in value && value.type === 'object' && 'properties' in value
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) }
}
