import type { TAP, Test } from 'tap'
import { type AskOptions, ask, type Reply } from './ask.ts'
import type { ZoneSet } from './oracle/zone-set.ts'

// The normal form of a DNS test: a query and the sections it must get, in presentation text.

/** One query and its whole response. Omitted sections must be empty; NOERROR and AA are the defaults. */
export type Row = AskOptions & {
  /** The rule, as a sentence with its source. */
  readonly rule: string
  /** `www.example. A` */
  readonly ask: string
  readonly rcode?: string
  /** Flags expected in the response, `aa tc`; an empty string for none. */
  readonly expectFlags?: string
  readonly answer?: string
  readonly authority?: string
  readonly additional?: string
}

/** Runs each row as a test of its own. */
export function testRows(t: TAP | Test, zones: ZoneSet, rows: readonly Row[]): void {
  for (const row of rows) {
    t.test(row.rule, async t => {
      t.same(summary(ask(zones, row.ask, row)), expected(row))
    })
  }
}

/** The values that a row compares. The order of records in an RRset is ignored, that of RRsets is not. */
function summary(reply: Reply): object {
  return {
    rcode: reply.rcode,
    flags: reply.flags,
    question: reply.question,
    answer: settled(reply.answer),
    authority: settled(reply.authority),
    additional: settled(reply.additional),
  }
}

function expected(row: Row): object {
  return {
    rcode: row.rcode ?? 'NOERROR',
    flags: row.expectFlags ?? 'aa',
    question: row.ask,
    answer: settled(linesOf(row.answer)),
    authority: settled(linesOf(row.authority)),
    additional: settled(linesOf(row.additional)),
  }
}

function linesOf(text = ''): string[] {
  return text
    .split('\n')
    .map(line => line.trim().replaceAll(/\s+/g, ' '))
    .filter(line => line !== '')
}

/** Sorts the records inside each RRset. */
function settled(lines: readonly string[]): string[] {
  const rrsets: string[][] = []
  for (const line of lines) {
    const last = rrsets.at(-1)
    if (last?.[0] !== undefined && rrsetOf(last[0]) === rrsetOf(line)) last.push(line)
    else rrsets.push([line])
  }
  return rrsets.flatMap(rrset => rrset.sort())
}

function rrsetOf(line: string): string {
  const [owner, , type] = line.split(' ')
  return `${owner} ${type}`
}
