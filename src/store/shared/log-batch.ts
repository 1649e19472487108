import { createHash } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Position } from './position.ts'
import { requireFormat } from './schema.ts'

// Batches of commits appended together, as stored in the table of the log and sent in notices.

/** A batch of the log. */
export type LogBatch = {
  readonly first: number
  readonly last: number
  /** Of the last commit. */
  readonly link: Buffer
  readonly body: Buffer
}

/** A row of the table; numbers come as text. */
export type BatchRow = {
  readonly first_lsn: string
  readonly last_lsn: string
  readonly link: Buffer
  readonly body: Buffer
}

/** PostgreSQL takes notices of less than 8,000 octets. */
const maxNoticeOctets = 7900
const lengthOctets = 4
/** Bounds the batches of one answer, which is in memory as a whole and has to arrive before patience ends. The first is in it
 *  whatever its size. */
const batchesAtOnce = 1000
const octetsAtOnce = 4 * 1024 * 1024

/** Selects the batches after an LSN, as many as are read at once. */
const behindText = `select first_lsn, last_lsn, link, body from (
    select *, sum(octet_length(body)) over (order by first_lsn) - octet_length(body) as octets_before
    from (select * from zw_log where first_lsn > $1 order by first_lsn limit ${batchesAtOnce}) as next
  ) as sized where octets_before < ${octetsAtOnce} order by first_lsn`
/** As `behindText`, with the end of the log, the number of the question and the time of the server. */
const endText = `select zw_head.lsn as end_lsn, zw_head.link as end_link, zw_head.format, $2::int as question,
  trim(current_setting('synchronous_standby_names')) <> '' as has_standby,
  (select 1000 * extract(epoch from clock_timestamp())::float8) as server_millis, behind.*
  from zw_head left join (${behindText}) as behind on true order by behind.first_lsn`

type EndRow = {
  readonly end_lsn: string
  readonly end_link: Buffer
  readonly format: number
  readonly question: number
  readonly has_standby: boolean
  readonly server_millis: number
} & { readonly [Name in keyof BatchRow]: BatchRow[Name] | null }

let lastQuestion = 0

/** Reads batches of the log behind an LSN, as many as fit an answer; none only where there is none. */
export async function readBehind(connection: Connection, lsn: number): Promise<LogBatch[]> {
  const { rows } = await connection.query<BatchRow>({ name: 'behind', text: behindText }, [lsn])
  return rows.map(batchOf)
}

/** What the server says of the log at one moment. */
export type LogEnd = {
  readonly end: Position
  /** Behind the LSN that was asked for, as many as fit an answer; none only where there is none. */
  readonly batches: readonly LogBatch[]
  readonly serverMillis: number
  /** Whether a commit waits for a standby. */
  readonly hasStandby: boolean
}

/** Asks where the log ends, and for the batches behind an LSN.
 *  @throws OtherSchemaError
 *  @throws Error the answer belongs to another question, or the server gives none */
export async function readEnd(connection: Connection, lsn: number): Promise<LogEnd> {
  lastQuestion = (lastQuestion + 1) % 2 ** 31
  const question = lastQuestion
  const { rows } = await connection.query<EndRow>({ name: 'end', text: endText }, [lsn, question])
  const [first] = rows
  if (first?.question !== question) throw new Error('the server answers what it was not asked for')
  requireFormat(first.format)
  return {
    end: { lsn: Number(first.end_lsn), link: first.end_link },
    batches: rows.filter(row => row.body !== null).map(row => batchOf(row as BatchRow)),
    serverMillis: first.server_millis,
    hasStandby: first.has_standby,
  }
}

export function batchOf({ first_lsn, last_lsn, link, body }: BatchRow): LogBatch {
  return { first: Number(first_lsn), last: Number(last_lsn), link, body }
}

/** Entries as a body. */
export function bodyOf(entries: readonly Buffer[]): Buffer {
  const pieces = entries.flatMap(entry => {
    const length = Buffer.alloc(lengthOctets)
    length.writeUInt32LE(entry.length)
    return [length, entry]
  })
  return Buffer.concat(pieces)
}

/** The entries of a body. */
export function entriesIn(body: Buffer): readonly Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const start = at + lengthOctets
    const end = start + body.readUInt32LE(at)
    if (end > body.length) throw new RangeError('a batch of the log ends early')
    entries.push(body.subarray(start, end))
    at = end
  }
  return entries
}

/** The link of the last of some commits: it depends on these and all before them, so two logs that differ anywhere have
 *  different links from there on. It is computed per commit, so batch borders do not matter. */
export function linkBehind(before: Buffer, entries: readonly Buffer[]): Buffer {
  return entries.reduce(
    (link, entry) => createHash('sha256').update(link).update(entry).digest(),
    before,
  )
}

/** Whether a batch goes on from a position, by its numbers and its link. */
export function continues(
  { lsn, link: before }: Position,
  { first, last, link, body }: LogBatch,
): boolean {
  const entries = entriesIn(body)
  const isNext = first === lsn + 1 && last === lsn + entries.length
  return isNext && linkBehind(before, entries).equals(link)
}

/** A batch as a notice, with its body where that fits. */
export function noticeOf({ first, last, link, body }: LogBatch): string {
  const head = `${first} ${last} ${link.toString('base64')}`
  const text = `${head} ${body.toString('base64')}`
  return text.length < maxNoticeOctets ? text : head
}

/** The batch in a notice; without a body if that has to be fetched. */
export function batchIn(notice: string): Pick<LogBatch, 'last'> | LogBatch {
  const [first, last, link, body] = notice.split(' ')
  const end = { last: Number(last) }
  if (link === undefined || body === undefined) return end
  return {
    ...end,
    first: Number(first),
    link: Buffer.from(link, 'base64'),
    body: Buffer.from(body, 'base64'),
  }
}
