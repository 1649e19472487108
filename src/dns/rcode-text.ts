import { rcodes } from './codes.ts'

const texts = new Map<number, string>(
  Object.entries(rcodes).map(([name, code]) => [code, name.toUpperCase()]),
)

/** `NXDOMAIN` for 3, and `RCODEn` where there is no name. */
export function rcodeText(rcode: number): string {
  return texts.get(rcode) ?? `RCODE${rcode}`
}
