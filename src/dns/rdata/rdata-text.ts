import { FormatError } from '../format-error.ts'
import type { Name } from '../name.ts'
import { clipText, type Token } from '../presentation.ts'

/** A cursor over the tokens of one rdata in presentation form. It tracks what it is reading so that every error has the
 *  same form: type, field, what was expected, what was found. */
export class RdataText {
  /** Completes relative names; absent where names must be absolute. */
  readonly origin: Name | undefined
  readonly #mnemonic: string
  readonly #tokens: readonly Token[]
  #next = 0
  #field = ''

  constructor(mnemonic: string, tokens: readonly Token[], origin?: Name) {
    this.#mnemonic = mnemonic
    this.#tokens = tokens
    this.origin = origin
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#tokens.length
  }

  /** Names the field that is read from here on. */
  enter(field: string): void {
    this.#field = field
  }

  /** @throws FormatError no token is left. */
  next(expected: string): Token {
    const token = this.#tokens[this.#next]
    if (token === undefined) throw this.fault(expected, undefined)
    this.#next += 1
    return token
  }

  /** Takes the next token as what it is read as.
   *  @param parse undefined for a text that is not what is expected
   *  @throws FormatError no token is left, or another text. */
  nextAs<T>(expected: string, parse: (raw: string, isQuoted: boolean) => T | undefined): T {
    const { raw, isQuoted } = this.next(expected)
    const value = parse(raw, isQuoted)
    if (value === undefined) throw this.fault(expected, raw)
    return value
  }

  /** As `nextAs`, of all tokens that are left, joined.
   *  @throws FormatError as `nextAs` */
  restAs<T>(expected: string, parse: (raw: string) => T | undefined): T {
    const tokens = this.rest(expected)
    const raw = tokens.map(token => token.raw).join('')
    const value = parse(raw)
    if (value === undefined) throw this.fault(expected, raw)
    return value
  }

  /** Takes values up to the end; may be none. */
  all<T>(parse: (text: this) => T): T[] {
    const values: T[] = []
    while (!this.isAtEnd) values.push(parse(this))
    return values
  }

  /** Returns the next token without taking it. */
  peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  /** Takes all tokens left, at least one.
   *  @throws FormatError no token is left. */
  rest(expected: string): readonly Token[] {
    if (this.isAtEnd) throw this.fault(expected, undefined)
    const tokens = this.#tokens.slice(this.#next)
    this.#next = this.#tokens.length
    return tokens
  }

  /** @throws FormatError a token is left. */
  requireEnd(): void {
    const token = this.peek()
    if (token === undefined) return
    this.enter('')
    throw this.fault('the end of the value', token.raw)
  }

  /** Returns the error to throw; `found` undefined means the value ended too early. */
  fault(expected: string, found: string | undefined): FormatError {
    const where = this.#field === '' ? this.#mnemonic : `${this.#mnemonic} ${this.#field}`
    const what = found === undefined ? 'nothing' : `'${clipText(found)}'`
    return new FormatError(`${where}: expected ${expected}, found ${what}`)
  }
}
