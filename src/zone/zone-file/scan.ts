import { FormatError } from '../../dns/format-error.ts'
import { scanToken, skipBlanks, type Token } from '../../dns/presentation.ts'
import type { PlainLine } from './plain-line.ts'
import { ZoneFileError } from './zone-file-error.ts'

// Lines, comments and parentheses of a zone file (RFC 1035 section 5.1): each entry becomes one list of words, however
// many lines it takes.

/** The words of one entry. */
export type Entry = {
  /** From 1: where it begins. */
  readonly line: number
  /** It begins with a blank, so the owner is the one before. */
  readonly hasNoOwner: boolean
  readonly tokens: readonly Token[]
}

/** Characters that end a word beside a blank. */
const delimiters = ';()\r\n'
const structure: ReadonlySet<string> = new Set(['\n', '\r', '(', ')'])

/** A record has a name and a few dozen words; a TXT of 64 kB in short strings has some thousands. */
const maxTokens = 70_000

/** Yields the entries of a file, empty lines left out.
 *  @throws ZoneFileError a broken word, an unbalanced parenthesis. */
export function* scanEntries(text: string): Generator<Entry> {
  const scanner = new Scanner(text)
  for (let entry = scanner.next(); entry !== undefined; entry = scanner.next()) {
    if (entry.tokens.length > 0) yield entry
  }
}

/** Gives the entries of a file one after the other. */
export class Scanner {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    // A byte order mark is not part of the first name.
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text
  }

  /** Takes the next line if it is plain and `make` returns something for it. Only to be called between two entries.
   *  `make` is given the number of the line, from 1. */
  nextPlain<T>(plain: PlainLine, make: (line: number) => T | undefined): T | undefined {
    const end = plain.read(this.#text, this.#at)
    const made = end < 0 ? undefined : make(this.#line)
    if (made === undefined) return undefined
    this.#at = end
    this.#line += 1
    return made
  }

  /** The next entry, perhaps without words; undefined at the end.
   *  @throws ZoneFileError */
  next(): Entry | undefined {
    if (this.#at >= this.#text.length) return undefined
    const line = this.#line
    const hasNoOwner = this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t'
    const tokens: Token[] = []
    let isOpen = false
    for (let mark = this.#nextMark(); mark !== undefined; mark = this.#nextMark()) {
      if (mark === '\n' && !isOpen) return { line, hasNoOwner, tokens }
      if (mark === 'word') tokens.push(this.#token(tokens.length))
      else if (mark !== '\n') isOpen = this.#parenthesis(mark, isOpen)
    }
    if (isOpen) throw new ZoneFileError(line, "a ')' is missing")
    return { line, hasNoOwner, tokens }
  }

  /** Advances to the next element, past blanks and comments; a word is not yet read. */
  #nextMark(): '\n' | '(' | ')' | 'word' | undefined {
    for (;;) {
      this.#at = skipBlanks(this.#text, this.#at)
      const character = this.#text[this.#at]
      if (character === ';') {
        const end = this.#text.indexOf('\n', this.#at)
        this.#at = end < 0 ? this.#text.length : end
        continue
      }
      if (character === undefined || !structure.has(character))
        return character === undefined ? undefined : 'word'
      this.#at += 1
      if (character === '\r') continue
      if (character === '\n') this.#line += 1
      return character as '\n' | '(' | ')'
    }
  }

  /** RFC 1035 knows no parentheses within parentheses. */
  #parenthesis(mark: '(' | ')', isOpen: boolean): boolean {
    if (isOpen === (mark === ')')) return !isOpen
    throw new ZoneFileError(this.#line, `an unexpected '${mark}'`)
  }

  #token(count: number): Token {
    if (count === maxTokens) throw new ZoneFileError(this.#line, 'an entry has too many words')
    try {
      const token = scanToken(this.#text, this.#at, delimiters)
      this.#at = token.end
      return token
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw new ZoneFileError(this.#line, error.message, { cause: error })
    }
  }
}
