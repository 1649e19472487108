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
