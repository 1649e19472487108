import { types } from '../codes.ts'

const mnemonicByCode = new Map<number, string>(
  Object.entries(types).map(([mnemonic, code]) => [code, mnemonic]),
)
const codeByMnemonic = new Map<string, number>(Object.entries(types))
const genericMnemonic = /^TYPE(0|[1-9]\d{0,4})$/

/** Returns the code of `MX`, `mx` or `TYPE15` (RFC 3597 section 5); undefined where it is not a type. */
export function typeCode(text: string): number | undefined {
  const known = codeByMnemonic.get(text)
  if (known !== undefined) return known
  const upper = text.toUpperCase()
  const generic = genericMnemonic.exec(upper)
  if (generic === null) return codeByMnemonic.get(upper)
  const code = Number(generic[1])
  return code <= 0xffff ? code : undefined
}

/** Returns `MX` for 15, and `TYPEn` where there is no name. */
export function typeMnemonic(code: number): string {
  return mnemonicByCode.get(code) ?? `TYPE${code}`
}
