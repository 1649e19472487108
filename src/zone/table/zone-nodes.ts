import type { RrsetOctets } from '../../dns/rrset-octets.ts'
import {
  giveName,
  inlineAt,
  isApex,
  labelCountOf,
  linkEntry,
  nodeAbove,
  retireEntry,
  unlinkEntry,
  writeEntry,
} from './entries.ts'
import { childCountMask, entry, wildcardFlag, zone as zoneBlock } from './layout.ts'
import { putData, retireData } from './node-data.ts'
import { blockOctets, fillRrset, writeRrset } from './rrset-block.ts'
import type { TableWriter } from './table-writer.ts'

// The nodes of a zone: adding one with the empty non-terminals above it, and removing it with those that only existed
// for it. The writer's key holds the name of the RRset; the RRset has it in the case it was given in.

/** Adds the apex, which nothing refers to yet but the zone. */
export function addApex(writer: TableWriter, zone: number, rrset: RrsetOctets): void {
  const apex = writeNode(writer, zone, { rrset, label: 0, parent: 0 })
  const { store, index, reader } = writer
  store.words[zone + zoneBlock.apex] = apex
  store.words[zone + zoneBlock.nodeCount] = 1
  index.add(reader.key.hashFrom(0), zone, apex)
}

/** Adds the node of the key's name, with its first RRset, and the empty non-terminals between it and the nearest name
 *  that exists. From the top down: at each moment every name that exists has its parents. Returns the node.
 *  @param fill gives the node its data instead, before any reader can find it */
export function addNode(
  writer: TableWriter,
  zone: number,
  rrset: RrsetOctets,
  fill?: (node: number) => void,
): number {
  const { key, lookup } = writer.reader
  const { words } = writer.store
  const apex = words[zone + zoneBlock.apex] as number
  const apexLabel = key.labelCount - labelCountOf(words, apex)
  let label = 0
  let parent = 0
  while (parent === 0) {
    label += 1
    // Most names are right below the apex, which need not be looked up.
    parent = label === apexLabel ? apex : lookup.findNode(zone, key, label)
  }
  for (label -= 1; label >= 0; label -= 1) {
    parent = addChild(writer, zone, { rrset, label, parent, fill })
  }
  return parent
}

/** Removes the node of the key's name and all of its data, and then those ancestors with nothing left at or below them.
 *  It must not have children. */
export function removeNode(writer: TableWriter, zone: number, leaf: number): void {
  const { store, index, reader } = writer
  const { words } = store
  let node = leaf
  let label = 0
  do {
    const parent = nodeAbove(words, node)
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

/** Whether a name need not exist: it is not the apex, has no data, and no names are below it. */
function isNeedless(words: Int32Array, node: number): boolean {
  const childCount = (words[node + entry.state] as number) & childCountMask
  return !isApex(words, node) && words[node + entry.data] === 0 && childCount === 0
}

/** A new node: the name from a label of the key on; only that of the whole name has data. */
type NewNode = {
  readonly rrset: RrsetOctets
  readonly label: number
  readonly parent: number
  readonly fill?: ((node: number) => void) | undefined
}

function addChild(writer: TableWriter, zone: number, place: NewNode): number {
  const { store, index, reader } = writer
  const { label, parent } = place
  const node = writeNode(writer, zone, place)
  linkEntry(store, node, store.words[zone + zoneBlock.apex] as number)
  index.add(reader.key.hashFrom(label), zone, node)
  writer.add(parent + entry.state, 1)
  if (isWildcardNode(writer, label)) {
    store.publish(
      parent + entry.state,
      (store.words[parent + entry.state] as number) | wildcardFlag,
    )
  }
  writer.add(zone + zoneBlock.nodeCount, 1)
  return node
}

/** Most nodes only ever have one RRset, and it is read fastest right behind the name. */
const maxInlineWords = 32

function writeNode(
  writer: TableWriter,
  zone: number,
  { rrset, label, parent, fill }: NewNode,
): number {
  const { store, reader } = writer
  const { key } = reader
  const hasData = label === 0 && fill === undefined
  const rrsetWords = !hasData ? 0 : (blockOctets(rrset) + 3) >> 2
  const inlineWords = rrsetWords <= maxInlineWords ? rrsetWords : 0
  const isTop = parent === 0
  const node = writeEntry(store, { key, label, above: isTop ? zone : parent, isTop, inlineWords })
  giveName(store, node, rrset.octets, rrset.ownerAt + key.lengthOctets - key.octetsFrom(label))
  if (label === 0) fill?.(node)
  if (!hasData) return node
  if (inlineWords === 0) putData(store, node, writeRrset(store, rrset))
  else {
    fillRrset(store.memory, inlineAt(store.words, node), rrset)
    putData(store, node, inlineAt(store.words, node))
  }
  return node
}

function isWildcardNode({ reader }: TableWriter, label: number): boolean {
  return reader.key.isWildcardFrom(label)
}

function lowerWildcardFlag({ store }: TableWriter, parent: number): void {
  store.publish(parent + entry.state, (store.words[parent + entry.state] as number) & ~wildcardFlag)
}
