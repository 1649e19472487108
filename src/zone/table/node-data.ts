import { types } from '../../dns/codes.ts'
import { isApex, isInline } from './entries.ts'
import { barrierFlag, entry, listTag, rrset as rrsetBlock } from './layout.ts'
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

// A node's RRsets, and the flag in its state that follows from them. The flag is set before the RRset that it announces
// is there and cleared after the RRset is gone, so a reader that does not see the flag has missed nothing.

/** A change of a node's data of one type: RRset, and the RRSIG RRset that covers it; 0 removes it, undefined leaves it
 *  unchanged. */
export type DataChange = { readonly rrset?: number; readonly signature?: number }

/** Adds an RRset to a node or replaces the one of its type, and returns whether there was none. */
export function putData(store: TableStore, node: number, rrset: number): boolean {
  const { words } = store
  const type = typeOf(words, rrset)
  const data = words[node + entry.data] as number
  const isOnly = data === 0 || ((data & listTag) === 0 && typeOf(words, data) === type)
  if (isOnly) {
    if (isBarrier(store, node, type)) raiseFlag(store, node)
    store.publish(node + entry.data, rrset)
    retireBlock(store, node, data)
    return data === 0
  }
  const isNew = findRrset(words, data, type) === 0
  changeData(store, node, new Map([[type, { rrset }]]))
  return isNew
}

/** Changes a node's data of these types, all with one word. */
export function changeData(
  store: TableStore,
  node: number,
  changes: ReadonlyMap<number, DataChange>,
): void {
  const { words } = store
  const old = itemsOf(words, words[node + entry.data] as number)
  const items: DataItem[] = []
  for (const item of old) addChanged(store, items, { item, change: changes.get(item.type) })
  for (const [type, change] of changes) {
    if (old.some(item => item.type === type)) continue
    addChanged(store, items, { item: { type, rrset: 0, signature: 0 }, change })
  }
  items.sort((one, other) => one.type - other.type)
  if (items.some(({ type, rrset }) => rrset !== 0 && isBarrier(store, node, type))) {
    raiseFlag(store, node)
  }
  replaceData(store, node, items)
  const isKept = (block: number) =>
    items.some(({ rrset, signature }) => rrset === block || signature === block)
  for (const { rrset, signature } of old) {
    if (!isKept(rrset)) retireBlock(store, node, rrset)
    if (!isKept(signature)) retireBlock(store, node, signature)
  }
  // A signature that was copied for its TTL has never been published.
  for (const { signature = 0 } of changes.values()) {
    if (signature !== 0 && !isKept(signature)) store.free(signature)
  }
  lowerFlag(store, node)
}

/** Adds what a change leaves of an item, if anything. */
function addChanged(
  store: TableStore,
  items: DataItem[],
  { item, change = {} }: { readonly item: DataItem; readonly change?: DataChange | undefined },
): void {
  const { rrset = item.rrset, signature = item.signature } = change
  if (rrset === 0 && signature === 0) return
  items.push({ type: item.type, rrset, signature: signatureWithTtl(store, signature, rrset) })
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

/** Retires all RRsets of a node that new readers cannot reach. */
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

/** An RRset in the node's own block is retired with the node. */
function retireBlock(store: TableStore, node: number, block: number): void {
  if (block !== 0 && !isInline(store.words, node, block)) store.retire(block)
}

function isBarrier({ words }: TableStore, node: number, type: number): boolean {
  return type === types.DNAME || (type === types.NS && !isApex(words, node))
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
