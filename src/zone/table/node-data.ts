import { types } from '../../dns/codes.ts'
import { isInline } from './entries.ts'
import { barrierFlag, entry, rrset as rrsetBlock } from './layout.ts'
import {
  blocksOf,
  type DataItem,
  findRrset,
  itemsOf,
  retireList,
  typeOf,
  writeData,
} from './rrset-block.ts'
import type { TableStore } from './table-store.ts'

// A node's RRsets, and the flag in its state that follows from them. The flag goes up before the RRset that it
// tells of is there and comes down after it is gone, so a reader that does not see it has missed nothing.

/** Adds an RRset to a node or replaces the one of its type, and returns whether there was none. */
export function putData(store: TableStore, node: number, rrset: number): boolean {
  const { words } = store
  const type = typeOf(words, rrset)
  const data = words[node + entry.data] as number
  if (isBarrier(store, node, type)) raiseFlag(store, node)
  if (data === 0) {
    store.publish(node + entry.data, rrset)
    return true
  }
  const items = itemsOf(words, data)
  const at = items.findIndex(item => item.type >= type)
  const present = items[at]?.type === type ? items[at] : undefined
  const signature = signatureWithTtl(store, present?.signature ?? 0, rrset)
  const item = { type, rrset, signature }
  const changed =
    present === undefined
      ? items.toSpliced(at < 0 ? items.length : at, 0, item)
      : items.with(at, item)
  replaceData(store, node, changed)
  if (present !== undefined) {
    retireBlock(store, node, present.rrset)
    if (present.signature !== signature) retireBlock(store, node, present.signature)
  }
  return present === undefined || present.rrset === 0
}

/** Removes the RRset of a type, which must be there; its signature stays until it is removed. */
export function removeData(store: TableStore, node: number, type: number): void {
  const { words } = store
  const items = itemsOf(words, words[node + entry.data] as number)
  replaceData(
    store,
    node,
    items.flatMap(item => {
      if (item.type !== type) return [item]
      return item.signature === 0 ? [] : [{ ...item, rrset: 0 }]
    }),
  )
  for (const item of items) if (item.type === type) retireBlock(store, node, item.rrset)
  lowerFlag(store, node)
}

/** Gives a node these RRSIG RRsets, by the types that they cover, and no others. */
export function putSignatures(
  store: TableStore,
  node: number,
  signatures: ReadonlyMap<number, number>,
): void {
  const { words } = store
  const old = itemsOf(words, words[node + entry.data] as number)
  const added = [...signatures]
    .filter(([type]) => !old.some(item => item.type === type))
    .map(([type, signature]) => ({ type, rrset: 0, signature }))
  const kept = old.flatMap(item => {
    const signature = signatureWithTtl(store, signatures.get(item.type) ?? 0, item.rrset)
    return item.rrset === 0 && signature === 0 ? [] : [{ ...item, signature }]
  })
  replaceData(
    store,
    node,
    [...kept, ...added].sort((one, other) => one.type - other.type),
  )
  for (const { signature } of old) retireBlock(store, node, signature)
  // What was copied for its TTL has never been known to anybody.
  const written = kept.map(({ signature }) => signature)
  for (const { type } of kept) {
    const given = signatures.get(type) ?? 0
    if (given !== 0 && !written.includes(given)) store.free(given)
  }
}

/** RFC 4034 section 3: signatures have the TTL of what they sign. Returns the RRSIG RRset with that of an RRset: itself,
 *  or a copy. */
export function signatureWithTtl(store: TableStore, signature: number, rrset: number): number {
  const { words } = store
  if (signature === 0 || rrset === 0) return signature
  const ttlSeconds = words[rrset + rrsetBlock.ttlSeconds] as number
  if (words[signature + rrsetBlock.ttlSeconds] === ttlSeconds) return signature
  const copy = store.copy(signature)
  words[copy + rrsetBlock.ttlSeconds] = ttlSeconds
  return copy
}

/** Gives back all RRsets of a node that is out of reach for new readers. */
export function retireData(store: TableStore, node: number): void {
  const { words } = store
  const data = words[node + entry.data] as number
  for (const block of blocksOf(words, data)) retireBlock(store, node, block)
  retireList(store, data)
}

function replaceData(store: TableStore, node: number, items: readonly DataItem[]): void {
  const old = store.words[node + entry.data] as number
  store.publish(node + entry.data, writeData(store, items))
  retireList(store, old)
}

/** What lies in the node's own block goes with the node. */
function retireBlock(store: TableStore, node: number, block: number): void {
  if (block !== 0 && !isInline(store.words, node, block)) store.retire(block)
}

function isBarrier({ words }: TableStore, node: number, type: number): boolean {
  return type === types.DNAME || (type === types.NS && words[node + entry.parent] !== 0)
}

function raiseFlag(store: TableStore, node: number): void {
  store.publish(node + entry.state, (store.words[node + entry.state] as number) | barrierFlag)
}

function lowerFlag(store: TableStore, node: number): void {
  const { words } = store
  const state = words[node + entry.state] as number
  if ((state & barrierFlag) === 0) return
  const data = words[node + entry.data] as number
  const stays = [types.NS, types.DNAME].some(
    type => isBarrier(store, node, type) && findRrset(words, data, type) !== 0,
  )
  if (!stays) store.publish(node + entry.state, state & ~barrierFlag)
}
