import type { AppendableFile, Disk, ReadableFile } from '../../src/rating/segments/disk.ts'
import { Dice } from './dice.ts'

/** A file: what programs see, and what is sure to be there after a power failure. */
type Node = { data: Buffer; durable: Buffer }

/** A disk in memory that can lose power. What was not synced may then be there, in part, or not at all: octets of
 *  a file behind its last sync, and names that were made, moved or removed since their folder's last sync. */
export class MemoryDisk implements Disk {
  readonly #names: Map<string, Node>
  readonly #durableNames: Map<string, Node>
  readonly #folders = new Set<string>()
  /** Changes made so far. */
  changeCount = 0
  /** The change with this number, and all after it, fail: the power has gone. */
  failsAt = Number.POSITIVE_INFINITY

  constructor(files: ReadonlyMap<string, Buffer> = new Map()) {
    const nodes = [...files].map(([path, data]) => [path, { data, durable: data }] as const)
    this.#names = new Map(nodes)
    this.#durableNames = new Map(nodes)
  }

  /** The disk as it may be found after a power failure, one of many ways a seed. */
  afterPowerFailure(seed: number): MemoryDisk {
    const dice = new Dice(seed)
    const files = new Map<string, Buffer>()
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const node = dice.pick([this.#names, this.#durableNames]).get(path)
      if (node !== undefined) files.set(path, whatIsLeft(node, dice))
    }
    return new MemoryDisk(files)
  }

  /** The disk as a killed process leaves it: the system still has all it wrote. */
  afterKill(): MemoryDisk {
    return new MemoryDisk(new Map([...this.#names].map(([path, { data }]) => [path, data])))
  }

  get paths(): readonly string[] {
    return [...this.#names.keys()].sort()
  }

  /** Changes a file behind the store's back. */
  damage(path: string, change: (data: Buffer) => Buffer): void {
    this.#names.set(path, {
      data: change(Buffer.from(this.#get(path).data)),
      durable: Buffer.alloc(0),
    })
  }

  async makeFolder(path: string): Promise<void> {
    this.#folders.add(path)
  }

  async listFolder(path: string): Promise<readonly string[]> {
    const inside = this.paths.filter(each => each.startsWith(`${path}/`))
    return [...new Set(inside.map(each => each.slice(path.length + 1).split('/')[0]!))]
  }

  async readFile(path: string): Promise<Buffer | undefined> {
    return this.#names.get(path)?.data
  }

  async openToRead(path: string): Promise<ReadableFile> {
    const node = this.#get(path)
    return {
      async read(at, length) {
        if (at + length > node.data.length) throw new RangeError('past the end')
        return Buffer.from(node.data.subarray(at, at + length))
      },
      size: async () => node.data.length,
      close: async () => undefined,
    }
  }

  async openToAppend(path: string, length: number): Promise<AppendableFile> {
    this.#change()
    const node = this.#names.get(path) ?? { data: Buffer.alloc(0), durable: Buffer.alloc(0) }
    this.#names.set(path, node)
    node.data = node.data.subarray(0, length)
    return {
      append: async parts => {
        this.#change()
        node.data = Buffer.concat([node.data, ...parts])
      },
      sync: async () => {
        this.#change()
        node.durable = node.data
      },
      close: async () => undefined,
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.#change()
    this.#names.set(to, this.#get(from))
    this.#names.delete(from)
  }

  async removeFile(path: string): Promise<void> {
    this.#change()
    this.#names.delete(path)
  }

  async removeFolder(path: string): Promise<void> {
    this.#folders.delete(path)
  }

  async syncFolder(path: string): Promise<void> {
    this.#change()
    const isInside = (each: string) =>
      each.startsWith(`${path}/`) && !each.slice(path.length + 1).includes('/')
    for (const each of [...this.#durableNames.keys()].filter(isInside)) {
      if (!this.#names.has(each)) this.#durableNames.delete(each)
    }
    for (const [each, node] of this.#names) if (isInside(each)) this.#durableNames.set(each, node)
  }

  #change(): void {
    this.changeCount++
    if (this.changeCount >= this.failsAt) throw new Error('the power has gone')
  }

  #get(path: string): Node {
    const node = this.#names.get(path)
    if (node === undefined) throw new Error(`no file ${path}`)
    return node
  }
}

/** A file's synced octets, and of those behind them a part, as they were or as zeros. */
function whatIsLeft({ data, durable }: Node, dice: Dice): Buffer {
  const isAppended =
    data.length >= durable.length && data.subarray(0, durable.length).equals(durable)
  if (!isAppended) return dice.pick([data, durable])
  const rest = data.subarray(
    durable.length,
    durable.length + dice.below(data.length - durable.length + 1),
  )
  return Buffer.concat([durable, dice.pick([rest, Buffer.alloc(rest.length)])])
}
