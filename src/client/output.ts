import { styleText } from 'node:util'
import type { JsonObject } from './session.ts'

/** Where a command prints. */
export type Terminal = {
  readonly write: (text: string) => void
  /** For what is not the command's result: progress, questions. */
  readonly writeError: (text: string) => void
  readonly isTerminal: boolean
}

/** Prints results: tables for people, or JSON as the server gave it. */
export class Output {
  readonly #terminal: Terminal
  readonly #isJson: boolean

  constructor(terminal: Terminal, { isJson }: { readonly isJson: boolean }) {
    this.#terminal = terminal
    this.#isJson = isJson
  }

  /** Prints rows as a table of these columns, each a field's name. */
  rows(rows: readonly JsonObject[], columns: readonly string[]): void {
    if (this.#isJson) this.#json(rows)
    else this.#terminal.write(this.#table(rows, columns))
  }

  /** Prints one object, a line for each field.
   *  @param shown what people look for in it */
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

  /** Prints an invoice: its lines, what they come to, and what is not rated yet. */
  invoice(invoice: JsonObject): void {
    if (this.#isJson) {
      this.#json(invoice)
      return
    }
    const { lines, not_rated, rounding, total, currency, rated_until, status } = invoice
    const columns = ['zone_name', 'metric', 'tier', 'quantity', 'unit', 'price', 'sum']
    this.rows(lines as readonly JsonObject[], columns)
    if (rounding !== null) this.#terminal.write(`Rounding: ${rounding}\n`)
    this.#terminal.write(`Total: ${total}${currency === null ? '' : ` ${currency}`}\n`)
    if (status === 'final') return
    this.#terminal.write(`\nUsed since ${rated_until}, not yet rated:\n`)
    this.rows(not_rated as readonly JsonObject[], ['zone_name', 'metric', 'quantity', 'unit'])
  }

  /** Says on a terminal how far long work has come. */
  progress(done: number, total: number): void {
    if (!this.#terminal.isTerminal || this.#isJson) return
    this.#terminal.writeError(`\r${done} of ${total}${done === total ? '\n' : ''}`)
  }

  /** Whether somebody looks on, for whom what is printed can be replaced. */
  get isWatched(): boolean {
    return this.#terminal.isTerminal && !this.#isJson
  }

  /** Prints something in place of all that is on the terminal. */
  screen(object: JsonObject, print: () => void): void {
    if (this.#isJson) {
      this.#json(object)
      return
    }
    if (this.#terminal.isTerminal) this.#terminal.write(clearScreen)
    print()
  }

  /** Prints text as it is. */
  text(text: string): void {
    this.#terminal.write(text.endsWith('\n') || text === '' ? text : `${text}\n`)
  }

  /** Says what was done, for people only. */
  done(text: string): void {
    if (!this.#isJson) this.#terminal.write(`${text}\n`)
  }

  /** Prints lines of a difference: those that go, and those that come. */
  difference(lines: readonly { readonly sign: '+' | '-'; readonly text: string }[]): void {
    for (const { sign, text } of lines) {
      const line = `${sign} ${text}`
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

/** The cursor to the left top, and nothing behind it. */
const clearScreen = '\x1b[H\x1b[J'

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
