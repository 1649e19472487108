import { basename, dirname } from 'node:path'
import {
  type AppendFile,
  type FileSystem,
  type ReadableFile,
  SyncError,
  withSyncedAppends,
} from '../../src/durable/file-system.ts'
import { Dice } from './dice.ts'

// A disk in memory that can lose power. For each file it keeps what programs see and what is certain to survive;
// for each directory, the same of its names, and which changes of names are pending.

type FileNode = {
  readonly kind: 'file'
  octets: Buffer
  durable: Buffer
  /** Its contents before it was truncated: until the next sync they may come back. */
  cut?: Buffer | undefined
}

type DirectoryNode = {
  readonly kind: 'directory'
  names: Map<string, Node>
  durable: ReadonlyMap<string, Node>
  /** Changes since the last sync. A rename is one: its two names change together or not at all. */
  pending: NameChange[]
}

type Node = FileNode | DirectoryNode

type NameChange = ReadonlyMap<string, Node | undefined>

/** A change of the disk that is about to happen. */
export type DiskOperation = {
  readonly kind:
    | 'makeDirectory'
    | 'create'
    | 'append'
    | 'truncate'
    | 'sync'
    | 'rename'
    | 'link'
    | 'remove'
    | 'syncDirectory'
  readonly path: string
}

/** What a power loss leaves of what was not synced. */
export type PowerLoss = {
  readonly octets: (file: Omit<FileNode, 'kind'>) => Buffer
  readonly names: <Change>(pending: readonly Change[]) => readonly Change[]
}

/** Nothing that was not synced is left. */
export const allLost: PowerLoss = { octets: ({ durable }) => durable, names: () => [] }
/** New names are there, and the files are empty: what a disk that writes names first does. */
export const octetsLost: PowerLoss = { octets: ({ durable }) => durable, names: pending => pending }
export const namesLost: PowerLoss = { octets: ({ octets }) => octets, names: () => [] }
/** Truncated contents are back. */
export const cutsLost: PowerLoss = {
  octets: ({ octets, cut }) => cut ?? octets,
  names: pending => pending,
}
/** All is left: it was the process that was killed. */
export const nothingLost: PowerLoss = { octets: ({ octets }) => octets, names: pending => pending }

/** A random part is left: octets up to any point or with a hole of zeros, and any of the names, of which
 *  one in `oneIn` is lost; or all but that one. */
export function someLost(
  dice: Dice,
  oneIn: number,
  rest: 'is left' | 'is lost' = 'is left',
): PowerLoss {
  const isOne = () => dice.below(oneIn) === 0
  return {
    octets: file => someOctets(file, dice),
    names: pending => pending.filter(() => isOne() === (rest === 'is lost')),
  }
}

function someOctets({ octets, durable, cut }: Omit<FileNode, 'kind'>, dice: Dice): Buffer {
  if (cut !== undefined && dice.below(2) === 0) return someOctets({ octets: cut, durable }, dice)
  const changedFrom = octets.findIndex((octet, i) => octet !== durable[i])
  const isAppended = changedFrom >= 0 && durable.subarray(changedFrom).every(octet => octet === 0)
  if (!isAppended || octets.length < durable.length) return dice.pick([octets, durable])
  const end = changedFrom + dice.below(octets.length - changedFrom + 1)
  const left = Buffer.concat([octets.subarray(0, end), durable.subarray(end)])
  if (dice.below(2) === 0) {
    const from = changedFrom + dice.below(end - changedFrom + 1)
    left.fill(0, from, Math.min(end, from + dice.below(200)))
  }
  return left
}

export class SimulatedDisk implements FileSystem {
  readonly #root: DirectoryNode
  /** Called before every change; the change fails with the error that it throws. */
  before: (operation: DiskOperation) => void | Promise<void> = () => undefined
  /** The limit for all files together; a write beyond it fails after writing what still fits. */
  capacityOctets = Number.POSITIVE_INFINITY
  /** Whether opening files for writing fails, as on a read-only disk. */
  isOpenRefused = false
  readonly #unreadable = new Map<FileNode, string>()
  /** Changes made so far. */
  changeCount = 0
  /** The change with this number, and all after it, fail: the power has gone. */
  failsAt = Number.POSITIVE_INFINITY

  constructor(root: DirectoryNode = emptyDirectory()) {
    this.#root = root
  }

  /** Returns the disk as found when power is back; this one does not change. */
  after(loss: PowerLoss): SimulatedDisk {
    return new SimulatedDisk(survivorOf(this.#root, loss) as DirectoryNode)
  }

  /** The disk as a killed process leaves it: the system still has all it wrote. */
  afterKill(): SimulatedDisk {
    return this.after(nothingLost)
  }

  /** The disk as it may be found after a power failure, one of many ways a seed. */
  afterPowerFailure(seed: number): SimulatedDisk {
    return this.after(someLost(new Dice(seed), 2))
  }

  /** For each change of names in a directory that is not synced yet: the disk where only that one was lost. */
  *afterLosingOne(directory: string): Generator<SimulatedDisk> {
    const { pending } = this.#directory(directory)
    for (const lost of pending) {
      const names: PowerLoss['names'] = changes => changes.filter(each => each !== lost)
      yield this.after({ ...nothingLost, names })
    }
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#find(path) !== undefined) return
    const parent = dirname(path)
    await this.makeDirectory(parent)
    await this.#change({ kind: 'makeDirectory', path })
    change(this.#directory(parent), [[basename(path), emptyDirectory()]])
  }

  async list(directory: string): Promise<readonly string[]> {
    const node = this.#find(directory)
    if (node === undefined) return []
    if (node.kind === 'file') throw failure('ENOTDIR', directory)
    return [...node.names.keys()].sort()
  }

  async read(path: string): Promise<Buffer | undefined> {
    const node = this.#find(path)
    if (node === undefined) return undefined
    if (node.kind === 'directory') throw failure('EISDIR', path)
    const code = this.#unreadable.get(node)
    if (code !== undefined) throw failure(code, path)
    return node.octets
  }

  async readPiece(path: string, from: number, lengthOctets: number): Promise<Buffer> {
    const octets = await this.read(path)
    return octets?.subarray(from, from + lengthOctets) ?? Buffer.alloc(0)
  }

  async size(path: string): Promise<number> {
    const node = this.#find(path)
    return node?.kind === 'file' ? node.octets.length : 0
  }

  async openToRead(path: string): Promise<ReadableFile> {
    const octets = await this.read(path)
    if (octets === undefined) throw failure('ENOENT', path)
    return {
      async read(from, lengthOctets) {
        if (from + lengthOctets > octets.length) throw new RangeError(`${path} ends before`)
        return Buffer.from(octets.subarray(from, from + lengthOctets))
      },
      size: async () => octets.length,
      close: async () => undefined,
    }
  }

  async open(path: string, appends?: 'synced'): Promise<AppendFile> {
    if (this.isOpenRefused) throw failure('EROFS', path)
    const node = this.#find(path)
    const file = node?.kind === 'file' ? this.#opened(node, path) : await this.create(path)
    if (appends !== 'synced') return file
    return {
      ...withSyncedAppends(file),
      writeAt: async (octets, at) => {
        await this.#write(this.#find(path) as FileNode, { path, octets, at })
        await file.sync()
      },
    }
  }

  async create(path: string): Promise<AppendFile> {
    const directory = this.#directory(dirname(path))
    await this.#change({ kind: 'create', path })
    const there = this.#find(path)
    if (there?.kind === 'file') {
      there.octets = Buffer.alloc(0)
      return this.#opened(there, path)
    }
    const node: FileNode = { kind: 'file', octets: Buffer.alloc(0), durable: Buffer.alloc(0) }
    change(directory, [[basename(path), node]])
    return this.#opened(node, path)
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#change({ kind: 'rename', path: to })
    const node = this.#find(from)
    if (node === undefined) throw failure('ENOENT', from)
    if (dirname(from) !== dirname(to)) throw failure('EXDEV', from)
    change(this.#directory(dirname(to)), [
      [basename(from), undefined],
      [basename(to), node],
    ])
  }

  async link(path: string, secondPath: string): Promise<void> {
    const directory = this.#find(dirname(secondPath))
    if (directory?.kind !== 'directory') throw failure('ENOENT', secondPath)
    const node = this.#find(path)
    if (node === undefined) return
    if (directory.names.has(basename(secondPath))) await this.remove(secondPath)
    await this.#change({ kind: 'link', path: secondPath })
    change(directory, [[basename(secondPath), node]])
  }

  /** All in a directory goes before the directory does, as on a real disk. */
  async remove(path: string): Promise<void> {
    const node = this.#find(path)
    if (node === undefined) return
    if (node.kind === 'directory') {
      for (const name of [...node.names.keys()]) await this.remove(`${path}/${name}`)
    }
    await this.#change({ kind: 'remove', path })
    change(this.#directory(dirname(path)), [[basename(path), undefined]])
  }

  async removeEmptyDirectory(path: string): Promise<void> {
    const node = this.#find(path)
    if (node?.kind === 'directory' && node.names.size === 0) await this.remove(path)
  }

  async syncDirectory(directory: string): Promise<void> {
    const node = this.#find(directory)
    if (node === undefined) return
    if (node.kind === 'file') throw failure('ENOTDIR', directory)
    await this.#change({ kind: 'syncDirectory', path: directory })
    node.durable = new Map(node.names)
    node.pending = []
  }

  /** Changes a file behind the program's back. */
  damage(path: string, damaged: (octets: Buffer) => Buffer): void {
    const node = this.#find(path)
    if (node?.kind !== 'file') throw failure('ENOENT', path)
    node.octets = damaged(Buffer.from(node.octets))
    node.durable = node.octets
    node.cut = undefined
  }

  /** Makes reading a file fail from now on, under any name. */
  makeUnreadable(path: string, code = 'EIO'): void {
    const node = this.#find(path)
    if (node?.kind !== 'file') throw failure('ENOENT', path)
    this.#unreadable.set(node, code)
  }

  /** What all files together hold. */
  get usedOctets(): number {
    return usedBy(this.#root)
  }

  /** The paths of all files, sorted. */
  get paths(): readonly string[] {
    return [...filesOf(this.#root, '')].sort()
  }

  #opened(node: FileNode, path: string): AppendFile {
    return {
      append: octets => this.#write(node, { path, octets, at: node.octets.length }),
      truncate: async lengthOctets => {
        await this.#change({ kind: 'truncate', path })
        node.cut ??= node.octets
        node.octets = node.octets.subarray(0, lengthOctets)
      },
      sync: async () => {
        await this.#change({ kind: 'sync', path })
        node.durable = node.octets
        node.cut = undefined
      },
      size: async () => node.octets.length,
      close: async () => undefined,
    }
  }

  async #write(
    node: FileNode,
    { path, octets, at }: { path: string; octets: Uint8Array; at: number },
  ): Promise<void> {
    const put = (count: number) => {
      const written = octets.subarray(0, count)
      const rest = node.octets.subarray(at + written.length)
      node.octets = Buffer.concat([node.octets.subarray(0, at), written, rest])
    }
    const isInside = at + octets.length <= node.octets.length
    try {
      await this.#change({ kind: 'append', path })
    } catch (error) {
      // A write that fails may have written some of it.
      put(octets.length / 2)
      throw isInside ? new SyncError(path, error) : error
    }
    const room = node.octets.length - at + this.capacityOctets - this.usedOctets
    put(Math.max(0, room))
    if (room < octets.length) throw failure('ENOSPC', path)
  }

  async #change(operation: DiskOperation): Promise<void> {
    this.changeCount += 1
    try {
      if (this.changeCount >= this.failsAt) throw new Error('the power has gone')
      await this.before(operation)
    } catch (error) {
      const { kind, path } = operation
      throw kind === 'sync' || kind === 'syncDirectory' ? new SyncError(path, error) : error
    }
  }

  #directory(path: string): DirectoryNode {
    const node = this.#find(path)
    if (node?.kind !== 'directory') throw failure('ENOENT', path)
    return node
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue
      node = node?.kind === 'directory' ? node.names.get(name) : undefined
    }
    return node
  }
}

function emptyDirectory(): DirectoryNode {
  return { kind: 'directory', names: new Map(), durable: new Map(), pending: [] }
}

function change(
  directory: DirectoryNode,
  changes: readonly (readonly [string, Node | undefined])[],
): void {
  apply(directory.names, new Map(changes))
  directory.pending.push(new Map(changes))
}

function apply(names: Map<string, Node>, nameChange: NameChange): void {
  for (const [name, node] of nameChange) {
    if (node === undefined) names.delete(name)
    else names.set(name, node)
  }
}

function survivorOf(node: Node, loss: PowerLoss, seen = new Map<Node, Node>()): Node {
  const known = seen.get(node)
  if (known !== undefined) return known
  if (node.kind === 'file') {
    const octets = loss.octets(node)
    const survivor: FileNode = { kind: 'file', octets, durable: octets }
    // Two names of one file stay two names of one file.
    seen.set(node, survivor)
    return survivor
  }
  const names = new Map(node.durable)
  for (const nameChange of loss.names(node.pending)) apply(names, nameChange)
  const survivors = new Map([...names].map(([name, each]) => [name, survivorOf(each, loss, seen)]))
  return { kind: 'directory', names: survivors, durable: new Map(survivors), pending: [] }
}

function usedBy(node: Node, counted = new Set<Node>()): number {
  if (counted.has(node)) return 0
  counted.add(node)
  if (node.kind === 'file') return node.octets.length
  return [...node.names.values()].reduce((sum, each) => sum + usedBy(each, counted), 0)
}

function* filesOf(node: Node, path: string): Generator<string> {
  if (node.kind === 'file') yield path
  else for (const [name, each] of node.names) yield* filesOf(each, `${path}/${name}`)
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
