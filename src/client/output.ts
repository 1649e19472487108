import { styleText } from 'node:util'
import type { JsonObject } from './session.ts'

/** Where a command prints. */
export type Terminal = {
  readonly write: (text: string) => void
  /** For output other than the command's result: progress, questions. */
  readonly writeError: (text: string) => void
  readonly isTerminal: boolean
}

/** A removed or an added line. */
export type DifferenceLine = { readonly sign: '+' | '-'; readonly text: string }

/** Prints results: readable tables, or JSON as the server sent it. */
export class Output {
  readonly #terminal: Terminal
  readonly #isJson: boolean

  constructor(terminal: Terminal, { isJson }: { readonly isJson: boolean }) {
    this.#terminal = terminal
    this.#isJson = isJson
  }

  /** Prints rows as a table; each column is the name of a field.
   *  @param shown the rows with these fields, if they have others */
  rows(rows: readonly JsonObject[], columns: readonly string[], shown = rows): void {
    if (this.#isJson) this.#json(rows)
    else this.#terminal.write(this.#table(shown, columns))
  }

  /** Prints one object, a line for each field.
   *  @param shown the fields of interest to readers */
  object(object: JsonObject, shown = object): void {
    if (this.#isJson) {
      this.#json(object)
      return
    }
    const fields = Object.entries(shown).filter(
      ([name, value]) => name !== 'links' && value !== null,
    )
    const width = Math.max(0, ...fields.map(([name]) => name.length))
    for (const [name, value] of fields)
      this.#terminal.write(`${this.#dim(name.padEnd(width))}  ${cell(value)}\n`)
  }

  /** Prints an invoice: its lines, their total, and the usage that is not rated yet. */
  invoice(invoice: JsonObject): void {
    if (this.#isJson) {
      this.#json(invoice)
      return
    }
    const { rounding, total, currency, rated_until, status } = invoice
    const lines = (invoice.lines as readonly JsonObject[]).map(readable)
    const notRated = (invoice.not_rated as readonly JsonObject[]).map(readable)
    const columns = ['zone_name', 'metric', 'tier', 'quantity', 'unit', 'price', 'sum']
    this.rows(lines, columns)
    if (rounding !== null) this.#terminal.write(`Rounding: ${rounding}\n`)
    this.#terminal.write(`Total: ${total}${currency === null ? '' : ` ${currency}`}\n`)
    if (status === 'final' || notRated.length === 0) return
    this.#terminal.write(`\nUsed since ${rated_until}, not yet rated:\n`)
    this.rows(notRated, ['zone_name', 'metric', 'quantity', 'unit'])
  }

  /** Shows the progress of long work on a terminal. */
  progress(done: number, total: number): void {
    if (!this.#terminal.isTerminal || this.#isJson) return
    this.#terminal.writeError(`\r${done} of ${total}${done === total ? '\n' : ''}`)
  }

  /** Whether the output goes to a terminal, where printed text can be replaced. */
  get isWatched(): boolean {
    return this.#terminal.isTerminal && !this.#isJson
  }

  /** Replaces everything on the terminal. */
  screen(object: JsonObject, print: () => void): void {
    if (this.#isJson) {
      this.#json(object)
      return
    }
    if (this.#terminal.isTerminal) this.#terminal.write(clearScreen)
    print()
  }

  /** Prints text: unchanged where it goes to a file or a program. */
  text(text: string): void {
    const shown = this.#terminal.isTerminal ? text.split('\n').map(harmless).join('\n') : text
    this.#terminal.write(shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`)
  }

  /** Reports what was done.
   *  @param object the same for programs; nothing is printed for them without it */
  done(text: string, object?: JsonObject): void {
    if (!this.#isJson) this.#terminal.write(`${harmless(text)}\n`)
    else if (object !== undefined) this.#json(object)
  }

  /** Prints lines of a difference. */
  difference(lines: readonly DifferenceLine[]): void {
    for (const { sign, text } of lines) {
      const line = `${sign} ${harmless(text)}`
      const colour = sign === '+' ? 'green' : 'red'
      this.#terminal.write(`${this.#terminal.isTerminal ? styleText(colour, line) : line}\n`)
    }
  }

  #table(rows: readonly JsonObject[], columns: readonly string[]): string {
    const cells = rows.map(row => columns.map(column => cell(row[column])))
    const widths = columns.map((column, i) =>
      Math.max(column.length, ...cells.map(row => row[i]?.length ?? 0)),
    )
    const line = (row: readonly string[]) =>
      row.map((text, i) => (i === row.length - 1 ? text : text.padEnd(widths[i] ?? 0))).join('  ')
    const head = this.#terminal.isTerminal ? [this.#dim(line(columns))] : []
    return [...head, ...cells.map(line)].map(text => `${text}\n`).join('')
  }

  #dim(text: string): string {
    return this.#terminal.isTerminal ? styleText('dim', text) : text
  }

  #json(value: unknown): void {
    this.#terminal.write(`${JSON.stringify(value, null, 2)}\n`)
  }
}

/** A line of an invoice with six places of its quantity, which is exact in JSON. */
function readable(line: JsonObject): JsonObject {
  return { ...line, quantity: Number(Number(line.quantity).toFixed(6)) }
}

/** Moves the cursor to the top left and clears everything after it. */
const clearScreen = '\x1b[H\x1b[J'

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return harmless(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A line of text as a terminal can show it: control characters, which could move its cursor or change what it shows, are
 *  written as in JSON. */
export function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, character => {
    if (character === '\t') return character
    if (character === '\n') return '\\n'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
