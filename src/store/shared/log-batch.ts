import { createHash } from 'node:crypto'
import type { Connection } from './connection.ts'

// What is appended at once, as it stands in the table of the log and in notices.

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
export const batchesAtOnce = 1000

const columns = 'first_lsn, last_lsn, link, body'
/** Of the batches behind an LSN, as many as are read at once. */
export const behindText = `select ${columns} from zw_log where first_lsn > $1 order by first_lsn limit ${batchesAtOnce}`

/** Reads batches of the log behind an LSN, up to a thousand. */
export async function readBehind(connection: Connection, lsn: number): Promise<LogBatch[]> {
  const { rows } = await connection.query<BatchRow>({ name: 'behind', text: behindText }, [lsn])
  return rows.map(batchOf)
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

/** The link of the last of some commits: it stands for these and all before them, so two logs that differ anywhere differ
 *  from there on. It goes by commits, so that what is appended at once makes no difference. */
export function linkBehind(before: Buffer, entries: readonly Buffer[]): Buffer {
  return entries.reduce(
    (link, entry) => createHash('sha256').update(link).update(entry).digest(),
    before,
  )
}

/** A batch as a notice, with its body where that fits. */
export function noticeOf({ first, last, link, body }: LogBatch): string {
  const head = `${first} ${last} ${link.toString('base64')}`
  const text = `${head} ${body.toString('base64')}`
  return text.length < maxNoticeOctets ? text : head
}

/** The batch of a notice; undefined where it has to be asked for. */
export function batchIn(notice: string): LogBatch | undefined {
  const [first, last, link, body] = notice.split(' ')
  if (link === undefined || body === undefined) return undefined
  return {
    first: Number(first),
    last: Number(last),
    link: Buffer.from(link, 'base64'),
    body: Buffer.from(body, 'base64'),
  }
}
