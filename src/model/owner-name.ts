import { FormatError } from '../dns/format-error.ts'
import { formatName, type Name, parseName } from '../dns/name.ts'
import { hostNameProblem } from './host-name.ts'

// Names of recordsets as text. There is one text for a name, but for the case of its letters, and a dot in it always
// parts labels: a dot within a label is written `\046`. So texts are compared, and cut at their dots, like the names
// they stand for.

/** What may be in the labels of a name: what is in those of hosts, or any octets, escaped (RFC 2181 section 11). */
export type NameForm = 'host' | 'any'

/** The text of a name. */
export function ownerNameText(name: Name): string {
  const text = formatName(name)
  return text.includes('\\')
    ? text.replaceAll(/\\./gs, pair => (pair === '\\.' ? '\\046' : pair))
    : text
}

/** The one text of a name that may be written otherwise; a text that is no name stays as it is. */
export function canonicalOwnerName(text: string): string {
  const name = usual.test(text) ? undefined : parsedName(text)
  return name === undefined ? text : ownerNameText(name)
}

/** Says what is wrong with an absolute name, or nothing. */
export function ownerNameProblem(name: string, form: NameForm): string | undefined {
  const problem = hostNameProblem(isOfAddresses.test(name) ? name.replaceAll('/', 'x') : name)
  if (problem === undefined) return undefined
  return form === 'any' && parsedName(name) !== undefined ? undefined : problem
}

const usual = /^[\w*./-]*$/

/** Names of networks smaller than an octet have a slash (RFC 2317 section 4). */
const isOfAddresses = /\.(?:in-addr|ip6)\.arpa\.$/i

function parsedName(text: string): Name | undefined {
  try {
    return parseName(text)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
