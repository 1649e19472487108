import { locale } from '../texts.ts'

const formats = new Map<number, Intl.NumberFormat>()

/** A number as it is typed. Anything else stays a text, for the server to say what is wrong with it. */
export function typedNumber(text: string): number | string {
  return /^-?\d+$/.test(text.trim()) ? Number(text) : text
}

/** A number in the reader's locale.
 *  @param places the maximum number of decimal places */
export function formatNumber(value: number, places = 0): string {
  const format =
    formats.get(places) ?? new Intl.NumberFormat(locale, { maximumFractionDigits: places })
  formats.set(places, format)
  return format.format(value)
}

/** The format of the numbers of a column: each has as many decimal places as the one that needs most.
 *  @param places the maximum number of decimal places */
export function columnFormat(values: readonly number[], places: number) {
  const needed = Math.max(0, ...values.map(value => decimalPlaces(value, places)))
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: needed,
    maximumFractionDigits: needed,
  })
}

function decimalPlaces(value: number, maximum: number): number {
  const [, decimals = ''] = String(Number(value.toFixed(maximum))).split('.')
  return decimals.length
}
