import { readEntryName } from '../zone/table/entries.ts'
import { entry } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { keyOctets, type NameKey } from '../zone/table/name-key.ts'
import type { RecordWriter } from './record-writer.ts'

/** The owner of a node's records, in the case its name was given in, through a key that keeps the name until it is written. */
export function ownerOfNode(
  memory: TableMemory,
  node: number,
  { key, response }: { readonly key: NameKey; readonly response: RecordWriter },
): number {
  readEntryName(memory, key, node)
  const given = memory.words[node + entry.given] as number
  if (given === 0) return response.ownerOf(key, key.octets, keyOctets - key.lengthOctets)
  return response.ownerOf(key, memory.windowOf(given), offsetInWindow(given))
}
