import { ifWellFormed } from '../dns/format-error.ts'
import { formatName, isNameText, type Name, parseName } from '../dns/name.ts'
import { hostNameProblem } from './host-name.ts'

// Names of recordsets as text. A name has exactly one text, apart from the case of its letters, and a dot in it always
// separates labels: a dot within a label is written `\046`. So texts can be compared, and split at their dots, like
// names.

/** Which characters the labels of a name may have: those of host names, or any octets, escaped (RFC 2181 section 11). */
export type NameForm = 'host' | 'any'

/** The text of a name. */
export function ownerNameText(name: Name): string {
  const text = formatName(name)
  return text.includes('\\')
    ? text.replaceAll(/\\./gs, pair => (pair === '\\.' ? '\\046' : pair))
    : text
}

/** The canonical text of a name that may be spelled otherwise; a text that is no name is returned unchanged. */
export function canonicalOwnerName(text: string): string {
  const name = usual.test(text) ? undefined : ifWellFormed(() => parseName(text))
  return name === undefined ? text : ownerNameText(name)
}

/** Returns what is wrong with an absolute name, or nothing. */
export function ownerNameProblem(name: string, form: NameForm): string | undefined {
  const problem = hostNameProblem(isOfAddresses.test(name) ? name.replaceAll('/', 'x') : name)
  if (problem === undefined) return undefined
  return form === 'any' && isNameText(name) ? undefined : problem
}

const usual = /^[\w*./-]*$/

/** The reverse tree; names of networks smaller than an octet have a slash there (RFC 2317 section 4). */
const isOfAddresses = /\.(?:in-addr|ip6)\.arpa\.$/i
