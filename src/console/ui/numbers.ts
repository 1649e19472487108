import { locale } from '../texts.ts'

const formats = new Map<number, Intl.NumberFormat>()

/** A number in the reader's locale.
 *  @param places the maximum number of decimal places */
export function formatNumber(value: number, places = 0): string {
  const format =
    formats.get(places) ?? new Intl.NumberFormat(locale, { maximumFractionDigits: places })
  formats.set(places, format)
  return format.format(value)
}
