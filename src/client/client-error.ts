import { InvalidArgumentError } from 'commander'

/** Exit codes of commands: those of sysexits.h where one fits. */
export const exitCodes = {
  /** The server refused, or a comparison found differences. */
  refused: 1,
  usage: 64,
  unreachable: 69,
  notPermitted: 77,
  config: 78,
} as const

/** Reads the number of an option.
 *  @throws InvalidArgumentError it is not a number */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** Reads the number of an option that must be 1 or more.
 *  @throws InvalidArgumentError it is not such a number */
export function positiveNumber(text: string): number {
  const number = wholeNumber(text)
  if (number > 0) return number
  throw new InvalidArgumentError('It must be 1 or more.')
}

/** Reads an option that has few values, in upper or lower case.
 *  @throws InvalidArgumentError it is none of them */
export function oneOf(values: readonly string[]): (text: string) => string {
  return text => {
    if (values.includes(text.toUpperCase())) return text.toUpperCase()
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`)
  }
}

/** Reads a day or a time.
 *  @throws InvalidArgumentError it does not begin with a year and a month */
export function moment(text: string): string {
  if (/^\d{4}-?\d{2}/.test(text)) return text
  throw new InvalidArgumentError('It must be a day or a time, such as 2026-11-01.')
}

/** Reads the address of a server.
 *  @throws InvalidArgumentError it is no http or https URL */
export function serverUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be a URL, such as http://127.0.0.1:9001.')
}

/** An error that is shown to the user in one line, without a stack. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.refused, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
