import { isIPv4, isIPv6 } from 'node:net'
import type { FieldError } from '../errors.ts'
import { hostNameProblem } from './host-name.ts'
import { quote } from './quote.ts'

/** Where a SECONDARY zone is transferred from: an address or a host name, and a port. */
export type Master = { readonly host: string; readonly port: number }

const defaultMasterPort = 53

/** Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; undefined when it is none of them. */
export function parseMaster(text: string): Master | undefined {
  const parts = /^(?:\[(?<literal>[^\]]*)\]|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)
  const { literal, plain, port: portText } = parts?.groups ?? {}
  const port = portText === undefined ? defaultMasterPort : Number(portText)
  if (port < 1 || port > 65_535) return undefined
  if (literal !== undefined) return isIPv6(literal) ? { host: literal, port } : undefined
  if (plain === undefined || hostNameProblem(withFinalDot(plain)) !== undefined) return undefined
  // No name ends in a number (RFC 1123 section 2.1), so this is an address that was mistyped.
  if (/(?:^|\.)\d+\.?$/.test(plain) && !isIPv4(plain)) return undefined
  return { host: plain, port }
}

/** Checks the form of each master. */
export function masterErrors(masters: readonly string[]): FieldError[] {
  return masters.flatMap((master, i) =>
    parseMaster(master) === undefined ? [errorAt(i, master)] : [],
  )
}

/** A master that a project may not have asked: one reason for all there are. */
export function refusedMaster(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a public address: an administrator can set it, or allow its network`,
    validator: 'not',
  }
}

function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

function errorAt(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a 'host[:port]', with an IPv6 address in brackets`,
    validator: 'format',
    validator_value: 'host[:port]',
  }
}
