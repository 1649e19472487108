// Exact decimal numbers for quantities and prices. A value is read exactly as written, added and multiplied
// exactly, and rounded only where a result leaves a computation (`roundDecimal`): to 28 digits, ties to even,
// as the decimal contexts of existing rating systems do. A value becomes a float only in a response.

/** coefficient × 10^-scale, with the smallest scale >= 0 that holds the value: equal values are equal objects.
 *  Build it with the functions of this file only. */
export type Decimal = { readonly coefficient: bigint; readonly scale: number }

/** Why a text is not accepted as a number. */
type DecimalRefusal = { readonly refusal: string }

export const zero: Decimal = { coefficient: 0n, scale: 0 }
export const one: Decimal = { coefficient: 1n, scale: 0 }

/** Digits of a rounded result: this many significant ones, or this many after the point if that keeps more. */
const precisionDigits = 28
/** Maximum number of digits of an input number: on either side of the point, and of significant ones in total. Longer
 *  numbers are refused, never rounded: what was sent is what is billed. */
const maxDigits = 40
/** Maximum number of characters of an input number, so that clients cannot send a megabyte of zeros. */
const maxTextLength = 128

const numberPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Reads a number: sign, digits, point and exponent as in JSON, also without digits on one side of the point (`.5`, `5.`).
 *  Blanks around it are ignored. */
export function parseDecimal(text: string): Decimal | DecimalRefusal {
  if (text.length > maxTextLength) return tooLong
  const match = numberPattern.exec(text.trim())
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? []
  if (match === null || whole.length + fraction.length === 0) return notANumber
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return zero
  const exponentOfLast = Number(exponent) - fraction.length + digits.length - significant.length
  if (significant.length > maxDigits || -exponentOfLast > maxDigits) return tooLong
  if (significant.length + exponentOfLast > maxDigits) return tooLong
  const coefficient = BigInt(significant + '0'.repeat(Math.max(exponentOfLast, 0)))
  return {
    coefficient: sign === '-' ? -coefficient : coefficient,
    scale: Math.max(-exponentOfLast, 0),
  }
}

const notANumber: DecimalRefusal = { refusal: 'expected a finite decimal number' }
const tooLong: DecimalRefusal = {
  refusal: `expected a number of at most ${maxDigits} digits before and after the point together`,
}

/** Reads a number that arrived as a float, as the shortest text that denotes this float, so 0.1 is 0.1. */
export function decimalFromNumber(value: number): Decimal | DecimalRefusal {
  if (Number.isSafeInteger(value)) return { coefficient: BigInt(value), scale: 0 }
  return parseDecimal(String(value))
}

/** Reads a number that this program wrote. @throws RangeError it is not a number */
export function getDecimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if ('refusal' in parsed) throw new RangeError(`${parsed.refusal}: ${text}`)
  return parsed
}

/** Makes a value of a coefficient and a scale, which may be larger than needed. */
export function decimal(coefficient: bigint, scale: number): Decimal {
  if (coefficient === 0n) return zero
  let shorter = coefficient
  let shorterScale = scale
  while (shorterScale > 0 && shorter % 10n === 0n) {
    shorter /= 10n
    shorterScale--
  }
  return { coefficient: shorter, scale: shorterScale }
}

/** Adds exactly. */
export function add(a: Decimal, b: Decimal): Decimal {
  if (a.coefficient === 0n) return b
  if (b.coefficient === 0n) return a
  const scale = Math.max(a.scale, b.scale)
  return decimal(coefficientAt(a, scale) + coefficientAt(b, scale), scale)
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return b === zero ? a : add(a, decimal(-b.coefficient, b.scale))
}

/** Multiplies exactly: the result has as many digits as both together. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return decimal(a.coefficient * b.coefficient, a.scale + b.scale)
}

/** Divides by a count, rounded. @throws RangeError the count is not a positive safe integer */
export function divideByCount(value: Decimal, count: number): Decimal {
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`not a count: ${count}`)
  return divide(value, decimal(BigInt(count), 0))
}

/** Divides, rounded. @throws RangeError the divisor is 0 */
export function divide(value: Decimal, by: Decimal): Decimal {
  const divisor = by.coefficient
  if (value.scale >= by.scale && value.coefficient % divisor === 0n)
    return roundDecimal(decimal(value.coefficient / divisor, value.scale - by.scale))
  // More digits than the result keeps, and a last one that is not 0 when anything was cut off, so that only exact ties
  // look like ties.
  const places = maxDigits + 1
  const dividend = value.coefficient * powerOfTen(places + by.scale)
  const hasRest = dividend % divisor !== 0n
  const sticky = hasRest ? (dividend < 0n === divisor < 0n ? 1n : -1n) : 0n
  return roundDecimal(decimal((dividend / divisor) * 10n + sticky, value.scale + places + 1))
}

/** Returns -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const left = coefficientAt(a, scale)
  const right = coefficientAt(b, scale)
  return left < right ? -1 : left > right ? 1 : 0
}

/** Rounds to 28 places, or 28 significant digits where those reach further, but no further than 40 places;
 *  ties to even. Thus a price of a billion is as exact as one of a cent, and sums lose nothing. */
export function roundDecimal(value: Decimal): Decimal {
  if (value.scale <= precisionDigits) return value
  const places = precisionDigits + Math.max(value.scale - digitsOf(value.coefficient), 0)
  return roundToPlaces(value, Math.min(places, maxDigits))
}

/** Rounds to so many digits after the point, ties to even. */
export function roundToPlaces(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return value
  const divisor = powerOfTen(value.scale - places)
  return decimal(roundedQuotient(value.coefficient, divisor), places)
}

/** Writes the value in full, without exponent: `0.00000001`, `-12.5`, `100`. `getDecimal` reads it back. */
export function formatDecimal(value: Decimal): string {
  return textWithPlaces(value.coefficient, value.scale)
}

/** Rounds to so many digits after the point, ties to even, and writes all of them: `12.50`. */
export function formatPlaces(value: Decimal, places: number): string {
  return textWithPlaces(coefficientAt(roundToPlaces(value, places), places), places)
}

function textWithPlaces(coefficient: bigint, places: number): string {
  if (places === 0) return coefficient.toString()
  const sign = coefficient < 0n ? '-' : ''
  const digits = absolute(coefficient)
    .toString()
    .padStart(places + 1, '0')
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** The nearest float. Only for responses: nothing is computed with it. */
export function toNumber(value: Decimal): number {
  return Number(formatDecimal(value))
}

/** The coefficient of the value at a scale that is not smaller than its own. */
export function coefficientAt(value: Decimal, scale: number): bigint {
  return scale === value.scale
    ? value.coefficient
    : value.coefficient * powerOfTen(scale - value.scale)
}

const powersOfTen: bigint[] = Array.from({ length: 2 * maxDigits + 1 }, (_, n) => 10n ** BigInt(n))

/** 10^exponent. */
export function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent)
}

function roundedQuotient(coefficient: bigint, divisor: bigint): bigint {
  const quotient = coefficient / divisor
  const twiceRest = absolute(coefficient % divisor) * 2n
  const isUp = twiceRest > divisor || (twiceRest === divisor && quotient % 2n !== 0n)
  if (!isUp) return quotient
  return coefficient < 0n ? quotient - 1n : quotient + 1n
}

/** The number of digits before the point; 0 for a value below 1. */
export function digitsBeforePoint({ coefficient, scale }: Decimal): number {
  return Math.max(digitsOf(coefficient) - scale, 0)
}

function digitsOf(coefficient: bigint): number {
  return absolute(coefficient).toString().length
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
