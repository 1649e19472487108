import { isWildcard, type Name, parentName } from '../../dns/name.ts'
import type { Rrset } from '../rrset.ts'
import { giveName, inlineAt, linkEntry, retireEntry, unlinkEntry, writeEntry } from './entries.ts'
import { childCountMask, entry, wildcardFlag, zone as zoneBlock } from './layout.ts'
import { putData, retireData } from './node-data.ts'
import { fillRrset, rrsetOctets, writeRrset } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'

// The nodes of a zone: adding one with the empty non-terminals above it, and taking it away with those that only
// existed for it. `owner` is the name in the case it was given in; the writer's key holds the same name.

/** Adds the apex, which nothing refers to yet but the zone. */
export function addApex(writer: TableWriter, zone: number, { owner, rrset }: NewNode): void {
  const apex = writeNode(writer, zone, { owner, rrset, label: 0, parent: 0 })
  const { store, index, reader } = writer
  store.words[zone + zoneBlock.apex] = apex
  store.words[zone + zoneBlock.nodeCount] = 1
  index.add(reader.key.hashFrom(0), zone, apex)
}

/** Adds the node of the key's name, with its first RRset, and the empty non-terminals between it and the nearest
 *  name that exists. From the top down: at each moment every name that exists has its parents. */
export function addNode(writer: TableWriter, zone: number, { owner, rrset }: NewNode): void {
  const { key, lookup } = writer.reader
  const missing = [owner]
  let parent = 0
  for (;;) {
    parent = lookup.findNode(zone, key, missing.length)
    if (parent !== 0) break
    missing.push(parentName(missing.at(-1) as Name))
  }
  for (let label = missing.length - 1; label >= 0; label -= 1) {
    const name = missing[label] as Name
    const data = label === 0 ? rrset : undefined
    parent = addChild(writer, zone, { owner: name, rrset: data, label, parent })
  }
}

/** Removes the node of the key's name and all of its data, and then its ancestors, as far up as nothing is left
 *  at or below them. It must not have children. */
export function removeNode(writer: TableWriter, zone: number, leaf: number): void {
  const { store, index, reader } = writer
  const { words } = store
  let node = leaf
  let label = 0
  do {
    const parent = words[node + entry.parent] as number
    if (isWildcardNode(writer, label)) lowerWildcardFlag(writer, parent)
    writer.add(parent + entry.state, -1)
    index.remove(reader.key.hashFrom(label), zone, node)
    writer.walks.leave(words, node)
    unlinkEntry(store, node)
    retireData(store, node)
    retireEntry(store, node)
    writer.add(zone + zoneBlock.nodeCount, -1)
    node = parent
    label += 1
  } while (isNeedless(words, node))
}

/** Whether a name has no reason to exist: not the apex, no data, and no names below it. */
function isNeedless(words: Int32Array, node: number): boolean {
  const childCount = (words[node + entry.state] as number) & childCountMask
  return words[node + entry.parent] !== 0 && words[node + entry.data] === 0 && childCount === 0
}

type NewNode = { readonly owner: Name; readonly rrset: Rrset }
type Place = {
  readonly owner: Name
  /** Undefined makes an empty non-terminal. */
  readonly rrset: Rrset | undefined
  readonly label: number
  readonly parent: number
}

function addChild(writer: TableWriter, zone: number, place: Place): number {
  const { store, index, reader } = writer
  const { owner, label, parent } = place
  const node = writeNode(writer, zone, place)
  linkEntry(store, node, store.words[zone + zoneBlock.apex] as number)
  index.add(reader.key.hashFrom(label), zone, node)
  writer.add(parent + entry.state, 1)
  if (isWildcard(owner)) {
    store.publish(
      parent + entry.state,
      (store.words[parent + entry.state] as number) | wildcardFlag,
    )
  }
  writer.add(zone + zoneBlock.nodeCount, 1)
  return node
}

/** Most nodes have one RRset in their lives, and it is best read where the name has just been read. */
const maxInlineWords = 32

function writeNode(writer: TableWriter, zone: number, place: Place): number {
  const { store, reader } = writer
  const { owner, rrset, label, parent } = place
  const rrsetWords = rrset === undefined ? 0 : (rrsetOctets(rrset) + 3) >> 2
  const inlineWords = rrsetWords <= maxInlineWords ? rrsetWords : 0
  const node = writeEntry(store, { key: reader.key, label, space: zone, inlineWords })
  store.words[node + entry.parent] = parent
  giveName(store, node, owner)
  if (rrset === undefined) return node
  if (inlineWords === 0) putData(store, node, writeRrset(store, rrset))
  else {
    fillRrset(store.memory, inlineAt(store.words, node), rrset)
    putData(store, node, inlineAt(store.words, node))
  }
  return node
}

function isWildcardNode({ reader }: TableWriter, label: number): boolean {
  return isWildcard(reader.key.nameFrom(label))
}

function lowerWildcardFlag({ store }: TableWriter, parent: number): void {
  store.publish(parent + entry.state, (store.words[parent + entry.state] as number) & ~wildcardFlag)
}
