import type { Field } from '../field.ts'
import { u32 } from './integers.ts'

/** A span of time: a plain number, or with the units every zone-file parser knows (`1h30m`, `2W`). */
export const seconds: Field<number> = {
  ...u32,
  parse: text =>
    text.nextAs('seconds from 0 to 4294967295, or a span such as 1h30m', (raw, isQuoted) => {
      return isQuoted ? undefined : parseSeconds(raw)
    }),
}

/** Parses `3600`, `1h`, `1w2d3h4m5s` (any case, each unit at most once, largest first); undefined for
 *  anything else and above 32 bits. */
export function parseSeconds(text: string): number | undefined {
  if (plainNumber.test(text)) return within32Bits(Number(text))
  const groups = span.exec(text)?.groups
  if (groups === undefined || text === '') return undefined
  let total = 0
  for (const [unit, secondsEach] of unitSeconds) total += Number(groups[unit] ?? 0) * secondsEach
  return within32Bits(total)
}

const plainNumber = /^\d{1,10}$/
const span =
  /^(?:(?<w>\d{1,10})w)?(?:(?<d>\d{1,10})d)?(?:(?<h>\d{1,10})h)?(?:(?<m>\d{1,10})m)?(?:(?<s>\d{1,10})s)?$/i
const unitSeconds = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

function within32Bits(value: number): number | undefined {
  return value <= 0xffff_ffff ? value : undefined
}
