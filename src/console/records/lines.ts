import type { Draft } from './edits.ts'
import { offeredTypes, relativeName } from './fields.ts'
import type { Recordset } from './recordset.ts'

// Record sets as lines of a zone file, to be copied from one zone and pasted into another.

/** The lines of record sets, with names relative to their zone. */
export function linesOf(rows: readonly Recordset[]): string {
  return rows
    .flatMap(({ name, zone_name: zone, ttl, type, records }) =>
      records.map(record =>
        [relativeName(name, zone), ttl, type, record].filter(part => part !== null).join('\t'),
      ),
    )
    .join('\n')
}

/** A line that is not a record, by its number from 1. */
type LineProblem = { readonly line: number; readonly text: string }

/** Reads lines of a name, optionally a TTL and a class, a type and a value. A line that begins with a blank has the name of
 *  the line before. The server checks the values. */
export function draftsOf(text: string): {
  readonly drafts: readonly Draft[]
  readonly problems: readonly LineProblem[]
} {
  const drafts = new Map<string, Draft>()
  const problems: LineProblem[] = []
  let name = '@'
  for (const [at, whole] of text.split('\n').entries()) {
    const line = withoutComment(whole).trimEnd()
    if (line.trim() === '') continue
    const record = recordOf(line, name)
    if (record === undefined) problems.push({ line: at + 1, text: whole.trim() })
    else {
      name = record.name
      const key = `${name} ${record.type}`
      const before = drafts.get(key)
      drafts.set(key, { ...record, records: [...(before?.records ?? []), ...record.records] })
    }
  }
  return { drafts: [...drafts.values()], problems }
}

/** A name or none, a TTL and a class in either order, a type and a value. */
const recordLine = /^(\S*)\s+(?:(\d+)\s+(?:IN\s+)?|IN\s+(?:(\d+)\s+)?)?([A-Z]\w*)\s+(\S.*)$/i

function recordOf(line: string, nameBefore: string): Draft | undefined {
  const [, name, ttl, ttlBehindClass, word = '', value = ''] = recordLine.exec(line) ?? []
  const type = word.toUpperCase()
  if (!offeredTypes.includes(type) && !/^TYPE\d+$/.test(type)) return undefined
  const seconds = ttl ?? ttlBehindClass
  return {
    name: name || nameBefore,
    type,
    ttl: seconds === undefined ? null : Number(seconds),
    records: [value],
  }
}

/** A semicolon outside of quotes begins a comment. */
function withoutComment(line: string): string {
  return /^(?:"(?:[^"\\]|\\.)*"|\\.|[^;"])*/.exec(line)?.[0] ?? ''
}
