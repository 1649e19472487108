import { finishHash, hashStep } from '../hash.ts'
import {
  isJson,
  type PackedRecordset,
  packedPlaces,
  recordsetUnpacker,
} from '../model/packed-recordset.ts'
import type { RecordsetRun } from '../model/recordset-run.ts'
import { uuidWords, writeUuid } from '../model/uuid-words.ts'
import { hashOfText, hashStart } from './key-table.ts'

const idWords = new Uint32Array(uuidWords)

/** The hash of an id. That of a UUID is computed from its words, which takes a third of the time of its text. */
export function idHash(id: string): number {
  return writeUuid(idWords, 0, id) ? hashOfWords(idWords, 0) : hashOfText(id)
}

/** The hash of a record set's id, trimmed or not. */
export function packedIdHash(record: PackedRecordset): number {
  if (isJson(record)) return idHash(recordsetUnpacker.idOf(record))
  return hashOfWords(record.words, record.at + packedPlaces.id)
}

/** Whether a recordset of a run has an id with a hash. */
export function hasIdHash(run: RecordsetRun, hash: number): boolean {
  const octets = Buffer.from(run.buffer, run.byteOffset, run.byteLength)
  const record = { words: run, octets, at: 1 }
  for (; record.at < run.length; record.at += 1 + (run[record.at - 1] as number)) {
    if (packedIdHash(record) === hash) return true
  }
  return false
}

function hashOfWords(words: Uint32Array, at: number): number {
  let hash = hashStart
  for (let i = 0; i < uuidWords; i += 1) hash = finishHash(hashStep(hash, words[at + i] as number))
  return hash
}
