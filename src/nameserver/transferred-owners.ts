import { headerOctets } from '../dns/header.ts'
import {
  givenBlock,
  givenOffset,
  isApex,
  labelCountOf,
  nameOctetsOf,
  nodeAbove,
} from '../zone/table/entries.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { maxPointer } from './compression-table.ts'
import { newOwner, type RecordWriter, rootOwner } from './record-writer.ts'

// Owners of a zone that is written node by node. The parents of a name are known without comparing names: each node refers to
// the one above it, and the apex is the question. That costs a third of looking names up by their hashes.

/** The most nodes that are remembered; later nodes replace earlier ones. */
const placeCount = 1024

/** The positions of a zone's nodes in a message. */
export class TransferredOwners {
  readonly #memory: TableMemory
  readonly #nodes = new Int32Array(placeCount)
  readonly #owners = new Int32Array(placeCount)

  constructor(memory: TableMemory) {
    this.#memory = memory
  }

  /** Clears all positions. To be called at the start of each message. */
  begin(): void {
    this.#nodes.fill(0)
  }

  /** The owner of the node's records, in a message whose question is the apex. */
  ownerOf(node: number, response: RecordWriter): number {
    const known = this.#find(node)
    if (known !== newOwner) return known
    const { words } = this.#memory
    let above = nodeAbove(words, node)
    let owner = this.#find(above)
    while (owner === newOwner) {
      above = nodeAbove(words, above)
      owner = this.#find(above)
    }
    const octets = this.#memory.windowOf(givenBlock(words, node))
    const ownOctets = nameOctetsOf(words, node) - nameOctetsOf(words, above)
    return response.ownerBelow(owner, octets, givenOffset(words, node), ownOctets)
  }

  /** Whether the node's position is known and within the reach of a pointer. */
  has(node: number): boolean {
    return this.#find(node) !== newOwner
  }

  /** Notes that the node's records were put last. */
  remember(node: number, owner: number): void {
    if (owner === newOwner || owner > maxPointer) return
    const place = placeOf(node)
    this.#nodes[place] = node
    this.#owners[place] = owner
  }

  #find(node: number): number {
    const { words } = this.#memory
    if (isApex(words, node)) return labelCountOf(words, node) === 0 ? rootOwner : headerOctets
    const place = placeOf(node)
    return this.#nodes[place] === node ? (this.#owners[place] as number) : newOwner
  }
}

function placeOf(node: number): number {
  return (node ^ (node >>> 10)) & (placeCount - 1)
}
