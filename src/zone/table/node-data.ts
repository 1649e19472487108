import { types } from '../../dns/codes.ts'
import { isInline } from './entries.ts'
import { barrierFlag, entry } from './layout.ts'
import { findRrset, retireList, rrsetsOf, typeOf, writeData } from './rrset-block.ts'
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
  const old = findRrset(words, data, type)
  const rrsets = rrsetsOf(words, data)
  const at = rrsets.findIndex(other => typeOf(words, other) >= type)
  const changed =
    old === 0 ? rrsets.toSpliced(at < 0 ? rrsets.length : at, 0, rrset) : rrsets.with(at, rrset)
  replaceData(store, node, changed)
  if (old !== 0) retireRrset(store, node, old)
  return old === 0
}

/** Removes the RRset of a type, which must be there. */
export function removeData(store: TableStore, node: number, type: number): void {
  const { words } = store
  const rrsets = rrsetsOf(words, words[node + entry.data] as number)
  replaceData(
    store,
    node,
    rrsets.filter(rrset => typeOf(words, rrset) !== type),
  )
  for (const rrset of rrsets) if (typeOf(words, rrset) === type) retireRrset(store, node, rrset)
  lowerFlag(store, node)
}

/** Gives back all RRsets of a node that is out of reach for new readers. */
export function retireData(store: TableStore, node: number): void {
  const { words } = store
  const data = words[node + entry.data] as number
  for (const rrset of rrsetsOf(words, data)) retireRrset(store, node, rrset)
  retireList(store, data)
}

function replaceData(store: TableStore, node: number, rrsets: readonly number[]): void {
  const old = store.words[node + entry.data] as number
  store.publish(node + entry.data, writeData(store, rrsets))
  retireList(store, old)
}

/** What lies in the node's own block goes with the node. */
function retireRrset(store: TableStore, node: number, rrset: number): void {
  if (!isInline(store.words, node, rrset)) store.retire(rrset)
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
