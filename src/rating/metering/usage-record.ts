import { ByteReader } from '../segments/byte-reader.ts'
import { ByteWriter } from '../segments/byte-writer.ts'
import { Account, type AccountState, type HourTally, type Owner } from './account.ts'
import { type Hour, newTally, type Tally } from './tally.ts'

// An entry of the meter's log: the instant, the first hour that is not closed, then accounts. Each account is written in
// full, not as a difference, so reading a record twice does no harm.
//
//   millis | hour | accounts | each: number, 1 or (signed) 2 with its owner, or 0, 1 open or 0, accounted to, recordsets,
//   tallies | each: hour, numbers that are not 0 as bits, those numbers

/** When a record was written, and the first hour that was not closed at that time. */
export type RecordHead = { readonly atMillis: number; readonly firstHour: Hour }

/** Numbers accounts: each once in a segment, with its owner. */
export class AccountNumbers {
  #last = 0

  /** Returns whether the account is new to the segment. */
  give(account: Account): boolean {
    if (account.numberedBy === this) return false
    this.#last += 1
    account.number = this.#last
    account.numberedBy = this
    return true
  }
}

export function encodeRecord(
  { atMillis, firstHour }: RecordHead,
  accounts: readonly Account[],
  numbers: AccountNumbers,
): Buffer {
  const writer = new ByteWriter()
  writer.varint(atMillis)
  writer.varint(firstHour)
  writer.varint(accounts.length)
  for (const account of accounts) {
    const isNew = numbers.give(account)
    writer.varint(account.number)
    if (isNew) writeOwner(writer, account.owner)
    else writer.byte(0)
    writeState(writer, account.state)
  }
  return writer.bytes
}

/** Reads a record over what those before it have said; accounts are by number. */
export function decodeRecord(record: Buffer, accounts: Map<number, Account>): RecordHead {
  const reader = new ByteReader(record)
  const atMillis = reader.varint()
  const firstHour = reader.varint()
  for (let count = reader.varint(); count > 0; count -= 1) {
    const number = reader.varint()
    const tag = reader.byte()
    const owner = tag === 0 ? accounts.get(number)?.owner : readOwner(reader, tag)
    if (owner === undefined) throw new RangeError(`account ${number} has no owner`)
    accounts.set(number, new Account(owner, readState(reader)))
  }
  return { atMillis, firstHour }
}

const signedTag = 2

/** Writes an owner with a tag before it, which is never 0. */
export function writeOwner(writer: ByteWriter, owner: Owner): void {
  writer.byte(owner.isSigned ? signedTag : 1)
  const { zoneId, zoneName, zoneType, poolId, projectId } = owner
  for (const text of [zoneId, zoneName, zoneType, poolId, projectId]) writer.text(text)
}

/** Reads what is behind the tag. */
export function readOwner(reader: ByteReader, tag: number): Owner {
  return {
    isSigned: tag === signedTag,
    zoneId: reader.text(),
    zoneName: reader.text(),
    zoneType: reader.text(),
    poolId: reader.text(),
    projectId: reader.text(),
  }
}

function writeState(writer: ByteWriter, state: AccountState): void {
  writer.byte(state.isOpen ? 1 : 0)
  writer.varint(state.accountedTo)
  writer.varint(state.recordsetCount)
  writer.varint(state.tallies.length)
  for (const { hour, tally } of state.tallies) {
    writer.varint(hour)
    writeTally(writer, tally)
  }
}

function readState(reader: ByteReader): AccountState {
  const isOpen = reader.byte() === 1
  const accountedTo = reader.varint()
  const recordsetCount = reader.varint()
  const tallies: HourTally[] = []
  for (let count = reader.varint(); count > 0; count -= 1)
    tallies.push({ hour: reader.varint(), tally: readTally(reader) })
  return { isOpen, accountedTo, recordsetCount, tallies }
}

export function writeTally(writer: ByteWriter, tally: Tally): void {
  const bits = tally.reduce((sum, number, i) => (number === 0 ? sum : sum | (1 << i)), 0)
  writer.varint(bits)
  for (const number of tally) if (number !== 0) writer.varint(number)
}

export function readTally(reader: ByteReader): Tally {
  const bits = reader.varint()
  return newTally().map((_, i) => (((bits >> i) & 1) === 1 ? reader.varint() : 0))
}
