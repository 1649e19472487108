import { ApiError } from '../../../errors.ts'
import type { Instant } from '../../../model/rating.ts'
import { NumberText } from '../../../rating/exact-json.ts'
import { amountText } from '../../../rating/hashmap/rule-checks.ts'
import { parseTimestamp } from '../../../rating/timestamp.ts'
import { textOf } from '../../../validator.ts'
import { parseUuid } from '../../parameters.ts'

/** The arguments of a call of CloudKitty's first API. Each may be a part of the path, a query parameter or a key of a JSON body,
 *  with any method: clients delete and filter with bodies. Readers return undefined for arguments not given; an explicit null
 *  is distinguished where it has a meaning. */
export class Arguments {
  readonly #values: ReadonlyMap<string, unknown>

  /** @throws ApiError bad_request an argument that is unknown, or given twice and differently */
  constructor(sources: ArgumentSources, names: readonly string[]) {
    const given = [
      ...Object.entries(sources.path),
      ...sources.query,
      ...Object.entries(sources.body),
    ] as const
    const values = new Map<string, unknown>()
    for (const [name, value] of given) {
      if (!names.includes(name)) throw new ApiError('bad_request', `Unknown argument: "${name}"`)
      if (values.has(name) && values.get(name) !== value)
        throw new ApiError('bad_request', `Argument given more than once: "${name}"`)
      values.set(name, value)
    }
    this.#values = values
  }

  /** Null and the empty text count as not given: clients send both for arguments that they omit.
   *  @throws ApiError bad_request it is no text */
  text(name: string): string | undefined {
    return this.textOrNull(name) ?? undefined
  }

  /** Null where null or the empty text was given: a change may remove a value.
   *  @throws ApiError bad_request it is no text */
  textOrNull(name: string): string | null | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null) return value
    if (value === '') return null
    return typeof value === 'string' ? value : refuseArgument(name, value, 'Expected a text.')
  }

  /** @throws ApiError bad_request it is missing, or no text */
  requiredText(name: string): string {
    return this.text(name) ?? refuseMissing(name)
  }

  /** In its canonical form.
   *  @throws ApiError bad_request it is no UUID */
  uuid(name: string): string | undefined {
    return this.uuidOrNull(name) ?? undefined
  }

  /** @throws ApiError bad_request it is no UUID */
  uuidOrNull(name: string): string | null | undefined {
    const text = this.textOrNull(name)
    if (text === undefined || text === null) return text
    return parseUuid(text) ?? refuseArgument(name, text, 'Expected a UUID.')
  }

  /** @throws ApiError bad_request it is missing, or no UUID */
  requiredUuid(name: string): string {
    return this.uuid(name) ?? refuseMissing(name)
  }

  /** @throws ApiError bad_request it is neither true nor false */
  flag(name: string): boolean | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null || value === '') return undefined
    const word = shownText(value).toLowerCase()
    if (yesWords.includes(word)) return true
    return noWords.includes(word) ? false : refuseArgument(name, value, 'Expected a boolean.')
  }

  /** @throws ApiError bad_request it is no whole number from 1 on */
  count(name: string): number | undefined {
    const text = this.#numberText(name)
    if (text === undefined) return undefined
    const isCount = /^\d{1,9}$/.test(text) && Number(text) > 0
    return isCount ? Number(text) : refuseArgument(name, text, 'Expected a number from 1 on.')
  }

  /** A cost or a level as text, to its last digit, whether it came as a number or as a text.
   *  @throws ApiError bad_request */
  amount(name: 'cost' | 'level'): string | undefined {
    const text = this.#numberText(name)
    return text === undefined ? undefined : amountText(name, text)
  }

  /** @throws ApiError bad_request it is missing, or no amount */
  requiredAmount(name: 'cost' | 'level'): string {
    return this.amount(name) ?? refuseMissing(name)
  }

  /** @throws ApiError bad_request it is no timestamp */
  instant(name: string): Instant | undefined {
    return this.instantOrNull(name) ?? undefined
  }

  /** @throws ApiError bad_request it is no timestamp */
  instantOrNull(name: string): Instant | null | undefined {
    const text = this.textOrNull(name)
    if (text === undefined || text === null) return text
    return parseTimestamp(text) ?? refuseArgument(name, text, 'Expected an ISO 8601 timestamp.')
  }

  /** @throws ApiError bad_request it is none of the choices */
  choice<C extends string>(name: string, choices: readonly C[]): C | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const found = choices.find(choice => choice === text)
    return found ?? refuseArgument(name, text, `Value should be one of: ${choices.join(', ')}.`)
  }

  /** As it was parsed. */
  value(name: string): unknown {
    return this.#values.get(name)
  }

  #numberText(name: string): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null || value === '') return undefined
    if (value instanceof NumberText) return value.text
    if (typeof value === 'string') return value
    return typeof value === 'number'
      ? String(value)
      : refuseArgument(name, value, 'Expected a number.')
  }
}

type ArgumentSources = {
  readonly path: Readonly<Record<string, string>>
  readonly query: Iterable<readonly [string, string]>
  readonly body: object
}

const yesWords = ['true', '1', 'yes', 'on', 't', 'y']
const noWords = ['false', '0', 'no', 'off', 'f', 'n']

/** The requested period, as far as given.
 *  @throws ApiError bad_request */
export function askedPeriod(args: Arguments) {
  return { begin: args.instant('begin'), end: args.instant('end') }
}

function refuseMissing(name: string): never {
  return refuseArgument(name, null, 'Mandatory field missing.')
}

/** @throws ApiError bad_request, always */
export function refuseArgument(name: string, value: unknown, reason: string): never {
  const text = value === null ? 'None' : shownText(value)
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text
  throw new ApiError(
    'bad_request',
    `Invalid input for field/attribute ${name}. Value: '${shown}'. ${reason}`,
  )
}

function shownText(value: unknown): string {
  return value instanceof NumberText ? value.text : textOf(value)
}
