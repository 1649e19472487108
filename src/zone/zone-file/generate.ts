import { FormatError } from '../../dns/format-error.ts'
import { type Token, tokenize } from '../../dns/presentation.ts'
import { typeCode } from '../../dns/rdata/index.ts'

// $GENERATE, BIND's shorthand for a series of records: `$GENERATE 1-100/2 host-$ A 192.0.2.$`. Each `$`
// stands for the number; `${offset,width,base}` shifts, pads and writes it in another base; `\$` and `$$` are a dollar.

/** The most that one directive may write, so that one line cannot fill the memory. */
const maxRecords = 65_536
/** As far as other servers count. */
const maxNumber = 2 ** 31 - 1
/** Each modifier may turn eight characters into a thousand. */
const maxTemplateCharacters = 10_000

/** The numbers of `start-stop[/step]`.
 *  @throws FormatError no range, or too long a one. */
export function parseRange(text: string): number[] {
  const match = /^(\d{1,10})-(\d{1,10})(?:\/(\d{1,10}))?$/.exec(text)
  const [, start = '', stop = '', step = '1'] = match ?? []
  if (match === null || Number(step) === 0 || Number(stop) < Number(start)) {
    throw new FormatError(`$GENERATE needs a range such as 1-100 or 1-100/2, not '${text}'`)
  }
  if (Number(stop) > maxNumber) {
    throw new FormatError(`$GENERATE counts to ${maxNumber} at most, not to ${stop}`)
  }
  const count = Math.floor((Number(stop) - Number(start)) / Number(step)) + 1
  if (count > maxRecords) {
    throw new FormatError(
      `$GENERATE would write ${count} records, at most ${maxRecords} are allowed`,
    )
  }
  return Array.from({ length: count }, (_, i) => Number(start) + i * Number(step))
}

/** The words that are written for each number: owner, type and data, perhaps with TTL and class. BIND takes the data
 *  for one word, so several words of data are quoted together (`MX "10 mx$"`): the quoted text is parsed again.
 *  @throws FormatError too few words, or more than any use needs. */
export function templateOf(words: readonly Token[]): readonly Token[] {
  if (words.length < 3) throw new FormatError('$GENERATE needs a range, an owner, a type and data')
  const characterCount = words.reduce((count, { raw }) => count + raw.length, 0)
  if (characterCount > maxTemplateCharacters) {
    throw new FormatError(`$GENERATE takes at most ${maxTemplateCharacters} characters`)
  }
  const [type, data] = words.slice(-2)
  if (data?.isQuoted !== true || type === undefined || type.isQuoted) return words
  if (typeCode(type.raw) === undefined) return words
  const text = data.raw.replace(/\\[\\"]/g, pair => (pair === '\\"' ? '"' : pair))
  return [...words.slice(0, -1), ...tokenize(text)]
}

/** Writes a template for one number.
 *  @throws FormatError an invalid modifier. */
export function expandTemplate(template: string, number: number): string {
  return template.replace(placeholder, (text, modifier: string | undefined) => {
    // Still escaped: in a name a bare dollar would be refused.
    if (text === '\\$' || text === '$$') return '\\$'
    return modifier === undefined ? String(number) : formatNumber(modifier, number)
  })
}

const placeholder = /\\\$|\$\$|\$(?:\{([^}]*)\})?/g

function formatNumber(modifier: string, number: number): string {
  const match = /^(-?\d{1,10})(?:,(\d{1,3})(?:,([doxXnN]))?)?$/.exec(modifier)
  if (match === null) throw new FormatError(`'\${${modifier}}' is not \${offset,width,base}`)
  const [, offset = '0', width = '0', base = 'd'] = match
  const value = number + Number(offset)
  if (value < 0 || value > maxNumber) {
    throw new FormatError(`'\${${modifier}}' makes ${value} of ${number}`)
  }
  switch (base) {
    case 'o':
      return value.toString(8).padStart(Number(width), '0')
    case 'x':
      return value.toString(16).padStart(Number(width), '0')
    case 'X':
      return value.toString(16).toUpperCase().padStart(Number(width), '0')
    case 'n':
      return nibbles(value.toString(16), Number(width))
    case 'N':
      return nibbles(value.toString(16).toUpperCase(), Number(width))
    default:
      return String(value).padStart(Number(width), '0')
  }
}

/** Hexadecimal digits in reverse with dots, as ip6.arpa has them. The width counts the dots too, so an even one ends in
 *  a dot. */
function nibbles(digits: string, width: number): string {
  const padded = digits.padStart(Math.ceil(width / 2), '0')
  const text = [...padded].reverse().join('.')
  return text.padEnd(width, '.')
}
