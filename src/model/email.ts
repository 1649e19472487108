import type { FieldError } from '../errors.ts'
import { formatError } from './field-rules.ts'
import { ownerNameProblem } from './owner-name.ts'

/** Checks an e-mail address, which must also fit the form of a name: the SOA carries it as one. */
export function emailError(email: string): FieldError | undefined {
  return formatError('email', email, { format: 'email', problem: emailProblem(email) })
}

/** The address as the SOA's RNAME in presentation form. RFC 1035 section 8: the local part is one label, so
 *  its dots are escaped. */
export function rnameOf(email: string): string {
  const at = email.indexOf('@')
  return `${email.slice(0, at).replaceAll('.', '\\.')}.${email.slice(at + 1)}.`
}

function emailProblem(email: string): string | undefined {
  const [local, domain, ...rest] = email.split('@')
  if (local === undefined || domain === undefined || rest.length > 0)
    return 'it needs exactly one @'
  return ownerNameProblem(`${local}.${domain}.`, 'host') ?? localPartProblem(local)
}

function localPartProblem(local: string): string | undefined {
  return local.length > 63 ? 'the part before the @ has more than 63 characters' : undefined
}
