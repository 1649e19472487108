// Nearly all lines of a large file are an owner, perhaps a TTL and a class, a type and one word: nothing that is quoted,
// escaped, in parentheses or behind a semicolon. Such lines are split in one pass over their characters.

const maxWords = 5

const wordKind = 1
const blankKind = 2
const endKind = 3
const carriageReturn = 0x0d
const lineFeed = 0x0a

/** By character; 0 for one that makes a line not plain, as `;` does. A dollar is a directive's or $GENERATE's, and `@` the
 *  origin. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code === lineFeed) return endKind
  if (character === ' ' || character === '\t') return blankKind
  return /[!-~]/.test(character) && !'$@;()"\\'.includes(character) ? wordKind : 0
})

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === carriageReturn && text.charCodeAt(at + 1) === lineFeed) return blankKind
  return code < 128 ? (kinds[code] as number) : 0
}

/** The words of a line. */
export class PlainLine {
  #text = ''
  readonly #starts = new Int32Array(maxWords)
  readonly #ends = new Int32Array(maxWords)
  wordCount = 0

  /** Reads the line that begins at `at`; returns where the next one begins, or -1 where this one is not plain. */
  read(text: string, at: number): number {
    this.#text = text
    let count = 0
    let last = 0
    for (let i = at; i < text.length; i += 1) {
      const kind = kindAt(text, i)
      if (kind === endKind) {
        this.wordCount = count
        return count > 0 ? i + 1 : -1
      }
      if (kind === wordKind) {
        if (last !== wordKind) this.#starts[count++] = i
        this.#ends[count - 1] = i + 1
      }
      // A line that begins with a blank has the owner of the previous one.
      if (kind === 0 || count === 0 || count > maxWords) return -1
      last = kind
    }
    return -1
  }

  word(number: number): string {
    return this.#text.slice(this.#starts[number], this.#ends[number])
  }

  startsWithDigit(number: number): boolean {
    const code = this.#text.charCodeAt(this.#starts[number] as number)
    return code >= 0x30 && code <= 0x39
  }
}
