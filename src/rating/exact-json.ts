import type { Steps } from '../time-slice.ts'

/** A JSON number whose text a float does not reproduce. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Parses JSON (RFC 8259) without losing digits: a number becomes a float where the float prints as it was
 *  written, and its text otherwise (`0.10000000000000000000001`, `1.0`, `1e400`). Works in small steps, however long the text
 *  and whichever part of it is long: JSON.parse would block the event loop for the whole text, longest with a reviver that must
 *  look at each number.
 *  @throws SyntaxError it is not JSON */
export function* exactJson(text: string): Steps<unknown> {
  const builder = new Builder()
  const tokens = new Tokens(text)
  for (let count = 1; !builder.isComplete; count++) {
    builder.take(tokens)
    if (count % tokensOfStep === 0) yield
  }
  tokens.requireEnd()
  return builder.value
}

const tokensOfStep = 256

/** An array or object that is still open, with the key that the next value is for. */
type Open =
  | { readonly kind: 'array'; readonly value: unknown[] }
  | { readonly kind: 'object'; readonly value: Record<string, unknown>; key: string }

/** Builds the value; arrays and objects still open are kept in a list, so that no depth of nesting can exhaust the stack. */
class Builder {
  readonly #open: Open[] = []
  #value: unknown
  #isComplete = false

  get isComplete(): boolean {
    return this.#isComplete
  }

  get value(): unknown {
    return this.#value
  }

  /** Takes the next value, or the opening of one, and closes all arrays and objects that end with it. */
  take(tokens: Tokens): void {
    if (tokens.skip('[')) {
      if (!tokens.skip(']')) this.#open.push({ kind: 'array', value: [] })
      else this.#put([], tokens)
    } else if (tokens.skip('{')) {
      if (!tokens.skip('}')) this.#open.push({ kind: 'object', value: {}, key: tokens.key() })
      else this.#put({}, tokens)
    } else {
      this.#put(tokens.scalar(), tokens)
    }
  }

  #put(value: unknown, tokens: Tokens): void {
    let ended = value
    for (;;) {
      const parent = this.#open.at(-1)
      if (parent === undefined) {
        this.#value = ended
        this.#isComplete = true
        return
      }
      add(parent, ended)
      if (tokens.skip(',')) {
        if (parent.kind === 'object') parent.key = tokens.key()
        return
      }
      tokens.require(parent.kind === 'array' ? ']' : '}')
      this.#open.pop()
      ended = parent.value
    }
  }
}

/** The last value of a duplicate key counts, and `__proto__` is a key like any other. */
function add(parent: Open, value: unknown): void {
  if (parent.kind === 'array') {
    parent.value.push(value)
  } else if (parent.key === '__proto__') {
    const property = { value, enumerable: true, configurable: true, writable: true }
    Object.defineProperty(parent.value, parent.key, property)
  } else {
    parent.value[parent.key] = value
  }
}

const blanks = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y
/** Characters that end a string or need a closer look; control characters below a blank are not allowed in one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const special = /["\\\u0000-\u001f]/g
const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }

/** Reads the tokens of a text in order. */
class Tokens {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Skips a character if it is next. */
  skip(character: string): boolean {
    this.#skipBlanks()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  require(character: string): void {
    if (!this.skip(character)) this.#refuse()
  }

  requireEnd(): void {
    this.#skipBlanks()
    if (this.#at < this.#text.length) this.#refuse()
  }

  /** The key of a member of an object, up to its value. */
  key(): string {
    this.#skipBlanks()
    const key = this.#text[this.#at] === '"' ? this.#string() : this.#refuse()
    this.require(':')
    return key
  }

  /** A string, number, boolean or null. */
  scalar(): unknown {
    this.#skipBlanks()
    if (this.#text[this.#at] === '"') return this.#string()
    const found = this.#match(word)
    return found === undefined ? numberFrom(this.#match(number) ?? this.#refuse()) : words[found]
  }

  #string(): string {
    const from = this.#at
    let hasEscapes = false
    for (let at = from + 1; ; ) {
      special.lastIndex = at
      const end = special.exec(this.#text)?.index
      const character = end === undefined ? undefined : this.#text[end]
      if (end === undefined || (character !== '"' && character !== '\\')) return this.#refuse()
      if (character === '"') {
        this.#at = end + 1
        break
      }
      hasEscapes = true
      at = end + 2
    }
    const literal = this.#text.slice(from, this.#at)
    return hasEscapes ? (JSON.parse(literal) as string) : literal.slice(1, -1)
  }

  #skipBlanks(): void {
    const code = this.#text.charCodeAt(this.#at)
    if (code <= 0x20) this.#match(blanks)
  }

  /** Takes what a sticky pattern matches at the current position. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #refuse(): never {
    throw new SyntaxError(`this is not JSON at character ${this.#at}`)
  }
}

function numberFrom(text: string): number | NumberText {
  const value = Number(text)
  return String(value) === text ? value : new NumberText(text)
}
