import { FormatError, ifWellFormed } from './format-error.ts'
import { clipText, decimalEscape } from './presentation.ts'

// A name is kept in the form it has on the wire, one octet per character of a string: length octet,
// label, …, zero. So names compare by value, are Map keys, a parent is a suffix slice, and no escape can
// make two names look alike. Presentation form exists only at the edges (parseName, formatName).

declare const nameBrand: unique symbol

/** An absolute domain name in uncompressed wire form, one character (0x00 to 0xff) per octet, the root
 *  label included. Case is as received unless a function says otherwise; keys are lower-case. */
export type Name = string & { readonly [nameBrand]: true }

export const rootName = '\0' as Name

/** RFC 1035 section 2.3.4: octets of a whole name, length octets and root label included. */
export const maxNameOctets = 255
/** RFC 1035 section 2.3.4: octets of one label. */
export const maxLabelOctets = 63

/** Whether a text with its final dot is a name in presentation form. */
export function isNameText(text: string): boolean {
  return ifWellFormed(() => parseName(text)) !== undefined
}

/** Parses presentation form (RFC 1035 section 5.1: `\.` and `\DDD` escapes). A name without a final dot is
 *  completed with `origin`; `@` alone is the origin itself.
 *  @throws FormatError relative without an origin, empty or over-long label, over-long name, bad escape,
 *  a character outside ASCII (internationalised names arrive as A-labels). */
export function parseName(text: string, origin?: Name): Name {
  if (text === '.') return rootName
  if (text === '@' && origin !== undefined) return origin
  if (isPlainName(text)) return parsePlainName(text)
  if (text === '') throw new FormatError('a domain name is empty')
  const { labels, isAbsolute } = splitPresentation(text)
  if (!isAbsolute && origin === undefined) {
    throw new FormatError(`'${clipText(text)}' is not absolute: it must end with a dot`)
  }
  return nameFromLabels(labels, isAbsolute ? rootName : (origin ?? rootName))
}

/** Whether this is an absolute name in its usual spelling, of legal lengths and without escapes. */
export function isPlainName(text: string): boolean {
  return text.length < maxNameOctets && plainName.test(text)
}

/** Formats in presentation form with the final dot; what is not printable ASCII becomes `\DDD`. */
export function formatName(name: Name): string {
  if (name.length === 1) return '.'
  let text = ''
  for (let at = 0; ; ) {
    const length = name.charCodeAt(at)
    if (length === 0) return text
    text += `${escapeLabel(name.slice(at + 1, at + 1 + length))}.`
    at += 1 + length
  }
}

/** Builds a name from raw labels (octet strings, leftmost first) in front of `suffix`.
 *  @throws FormatError a label or the whole name is too long, or a label is empty. */
export function nameFromLabels(labels: readonly string[], suffix: Name = rootName): Name {
  let name = ''
  for (const label of labels) {
    if (label.length === 0) throw new FormatError('a label is empty')
    if (label.length > maxLabelOctets) {
      throw new FormatError(
        `a label has ${label.length} octets, at most ${maxLabelOctets} are allowed`,
      )
    }
    name += String.fromCharCode(label.length) + label
  }
  name += suffix
  if (name.length > maxNameOctets) {
    throw new FormatError(`a name has ${name.length} octets, at most ${maxNameOctets} are allowed`)
  }
  return name as Name
}

/** Reads an uncompressed name that starts at `at` in octets known to be well-formed (stored rdata). */
export function nameFromOctets(octets: Uint8Array, at: number): Name {
  let end = at
  while ((octets[end] ?? 0) !== 0) end += 1 + (octets[end] ?? 0)
  let name = ''
  for (let i = at; i <= end; i += 1) name += String.fromCharCode(octets[i] ?? 0)
  return name as Name
}

/** Returns the raw labels, leftmost first, without the root label. */
export function labelsOf(name: Name): string[] {
  const labels: string[] = []
  for (let at = 0; name.charCodeAt(at) !== 0; at += 1 + name.charCodeAt(at)) {
    labels.push(name.slice(at + 1, at + 1 + name.charCodeAt(at)))
  }
  return labels
}

/** Returns the name without its leftmost label; the root is its own parent. */
export function parentName(name: Name): Name {
  return name.length === 1 ? name : (name.slice(1 + name.charCodeAt(0)) as Name)
}

/** Whether `name` is `ancestor` or below it. Both in the same case (normally lower-case keys). */
export function isAtOrBelow(name: Name, ancestor: Name): boolean {
  // A suffix of characters is not enough: a label may hold any octets, so the cut must be at a label.
  const cut = name.length - ancestor.length
  if (cut < 0 || !name.endsWith(ancestor)) return false
  let at = 0
  while (at < cut) at += 1 + name.charCodeAt(at)
  return at === cut
}

/** As `isAtOrBelow`, for a name given as the first so many octets, in any case, and an ancestor in lower case. */
export function isOwnerAtOrBelow(owner: Uint8Array, length: number, ancestor: Uint8Array): boolean {
  const cut = length - ancestor.length
  if (cut < 0) return false
  for (let i = 0; i < ancestor.length; i += 1) {
    if (lowerCaseOctet(owner[cut + i] as number) !== ancestor[i]) return false
  }
  let at = 0
  while (at < cut) at += 1 + (owner[at] as number)
  return at === cut
}

/** Lower-cases an ASCII letter (RFC 4343). Length octets are below all letters. */
export function lowerCaseOctet(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
}

/** Lower-cases ASCII letters only (RFC 4343). Length octets are at most 63, so no letter is among them. */
export function lowerCaseName(name: Name): Name {
  if (!upperCaseLetter.test(name)) return name
  // The built-in is much quicker, but would also change letters beyond ASCII.
  if (!beyondAscii.test(name)) return name.toLowerCase() as Name
  return name.replace(upperCaseLetters, letters => letters.toLowerCase()) as Name
}

/** Whether the leftmost label is a lone `*` (RFC 4592 section 2.1.1). */
export function isWildcard(name: Name): boolean {
  return name.startsWith('\x01*')
}

const upperCaseLetter = /[A-Z]/
const upperCaseLetters = /[A-Z]+/g
const beyondAscii = /[\x80-\xff]/

/** Labels of printable characters without escapes, each with its dot. */
const plainName = /^(?:[!-\-/-[\]-~]{1,63}\.)+$/

/** Nearly all names are absolute and have no escapes; a server reads a million of them when it starts. */
function parsePlainName(text: string): Name {
  let name = ''
  for (let at = 0; at < text.length; ) {
    const dot = text.indexOf('.', at)
    name += String.fromCharCode(dot - at) + text.slice(at, dot)
    at = dot + 1
  }
  return `${name}\0` as Name
}

function splitPresentation(text: string): { labels: string[]; isAbsolute: boolean } {
  const labels: string[] = []
  let label = ''
  let isOpen = true
  for (let i = 0; i < text.length; ) {
    const character = text.charAt(i)
    if (character === '.') {
      labels.push(label)
      label = ''
      isOpen = false
      i += 1
      continue
    }
    const { octet, next } = readCharacter(text, i)
    label += octet
    isOpen = true
    i = next
  }
  if (isOpen) labels.push(label)
  return { labels, isAbsolute: !isOpen }
}

function readCharacter(text: string, at: number): { octet: string; next: number } {
  const character = text.charAt(at)
  if (character !== '\\') {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code >= 0x7f) {
      const problem =
        code > 0x7f
          ? 'is not in ASCII: names of other scripts are written as xn--…'
          : `has a character that must be escaped at position ${at}`
      throw new FormatError(`'${clipText(text)}' ${problem}`)
    }
    return { octet: character, next: at + 1 }
  }
  const digits = text.slice(at + 1, at + 4)
  if (/^\d{3}$/.test(digits) && Number(digits) <= 255) {
    return { octet: String.fromCharCode(Number(digits)), next: at + 4 }
  }
  const escaped = text.charCodeAt(at + 1)
  if (Number.isNaN(escaped) || /^\d/.test(digits) || escaped < 0x20 || escaped > 0x7e) {
    throw new FormatError(`'${clipText(text)}' has a broken escape at position ${at}`)
  }
  return { octet: text.charAt(at + 1), next: at + 2 }
}

function escapeLabel(label: string): string {
  if (plainLabel.test(label)) return label
  let text = ''
  for (let i = 0; i < label.length; i += 1) {
    const code = label.charCodeAt(i)
    const character = label.charAt(i)
    if (code <= 0x20 || code >= 0x7f) text += decimalEscape(character)
    else text += '.\\"();@$'.includes(character) ? `\\${character}` : character
  }
  return text
}

const plainLabel = /^[\w*/+-]+$/
