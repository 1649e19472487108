import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import {
  type AppendFile,
  type FileSystem,
  realFiles,
  withSyncedAppends,
} from '../../durable/file-system.ts'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'

/** Another node has the duty, or had it since: writes of this node no longer count. */
export class DutyLostError extends Error {
  override readonly name = 'DutyLostError'

  constructor() {
    super('another node has the duty')
  }
}

export type SharedFilesOptions = {
  readonly engine: Pick<Engine, 'use' | 'node'>
  /** The epoch of the duty under which these files are written. */
  readonly epoch: number
  /** The directory with a copy of all files. */
  readonly directory: string
}

/** The file system of the copy. */
const copy = realFiles

/** A part of a file as the table has it. */
type Part = { readonly octets: number; readonly digest: string }

/** Octets of one part at most. */
const maxPartOctets = 2 ** 20

/** Files in the table `zw_file`, for the node that has the duty. Reads come from a copy in a directory, which is made equal to the
 *  table first. Writes go to the copy, and to the table at a sync: every such write is refused once another node has taken the
 *  duty (`DutyLostError`). Directories exist only in the copy. */
export async function openSharedFiles(options: SharedFilesOptions): Promise<FileSystem> {
  const table = new FileTable(options)
  await table.fetch()
  return {
    ...copy,
    async open(path, appends) {
      const file = table.appendFile(path, await copy.open(path))
      return appends === 'synced' ? withSyncedAppends(file) : file
    },
    create: async path => table.appendFile(path, await copy.create(path), 0),
    async rename(from, to) {
      await table.rename(from, to)
      await copy.rename(from, to)
    },
    async link(path, secondPath) {
      await table.link(path, secondPath)
      await copy.link(path, secondPath)
    },
    async remove(path) {
      await table.remove(path)
      await copy.remove(path)
    },
    // Names are in the table as soon as they are changed.
    syncDirectory: async () => undefined,
  }
}

/** The table, and what of it is in the copy. */
class FileTable {
  readonly #options: SharedFilesOptions
  /** What the table has, by the name in it. */
  readonly #stored = new Map<string, readonly Part[]>()

  constructor(options: SharedFilesOptions) {
    this.#options = options
  }

  /** Makes the copy equal to the table: equal files stay, the rest is fetched or removed. */
  async fetch(): Promise<void> {
    const { engine, directory } = this.#options
    const { rows } = await engine.use(connection =>
      connection.query<{ path: string; digest: string; octets: number }>(
        `select path, encode(sha256(body), 'hex') as digest, octet_length(body) as octets
          from zw_file order by path, part`,
      ),
    )
    for (const [path, parts] of Map.groupBy(rows, row => row.path)) this.#stored.set(path, parts)
    await copy.makeDirectory(directory)
    for (const path of await filesBelow(copy, directory))
      if (!this.#stored.has(this.#nameOf(path))) await copy.remove(path)
    for (const [name, parts] of this.#stored)
      if (!(await this.#isThere(name, parts))) await this.#fetchFile(name, parts.length)
  }

  async rename(from: string, to: string): Promise<void> {
    const [oldName, newName] = [this.#nameOf(from), this.#nameOf(to)]
    await this.#write(async connection => {
      await connection.query('delete from zw_file where path = $1', [newName])
      await connection.query('update zw_file set path = $2 where path = $1', [oldName, newName])
    })
    const parts = this.#stored.get(oldName)
    this.#stored.delete(oldName)
    if (parts === undefined) this.#stored.delete(newName)
    else this.#stored.set(newName, parts)
  }

  async link(path: string, secondPath: string): Promise<void> {
    const [name, secondName] = [this.#nameOf(path), this.#nameOf(secondPath)]
    await this.#write(async connection => {
      await connection.query('delete from zw_file where path = $1', [secondName])
      await connection.query(
        'insert into zw_file (path, part, body) select $2, part, body from zw_file where path = $1',
        [name, secondName],
      )
    })
    const parts = this.#stored.get(name)
    if (parts !== undefined) this.#stored.set(secondName, parts)
  }

  async remove(path: string): Promise<void> {
    const name = this.#nameOf(path)
    const isWithin = (each: string) => each === name || each.startsWith(`${name}/`)
    const names = [...this.#stored.keys()].filter(isWithin)
    if (names.length > 0)
      await this.#write(async connection => {
        await connection.query('delete from zw_file where path = any($1)', [names])
      })
    for (const each of names) this.#stored.delete(each)
  }

  /** @param changedFrom offset from which the table does not have the file's octets */
  appendFile(path: string, file: AppendFile, changedFrom = Number.POSITIVE_INFINITY): AppendFile {
    let from = changedFrom
    return {
      append: octets => file.append(octets),
      truncate: async lengthOctets => {
        await file.truncate(lengthOctets)
        from = Math.min(from, lengthOctets)
      },
      sync: async () => {
        await this.#store(path, from)
        from = Number.POSITIVE_INFINITY
      },
      size: () => file.size(),
      close: () => file.close(),
    }
  }

  /** Writes a file's octets to the table, starting with the part that holds `from`. */
  async #store(path: string, from: number): Promise<void> {
    const name = this.#nameOf(path)
    const kept: Part[] = []
    let at = 0
    for (const part of this.#stored.get(name) ?? []) {
      if (at + part.octets > from) break
      kept.push(part)
      at += part.octets
    }
    const size = await copy.size(path)
    const added: { readonly part: Part; readonly body: Buffer }[] = []
    for (; at < size; at += maxPartOctets) {
      const body = await copy.readPiece(path, at, Math.min(maxPartOctets, size - at))
      added.push({ part: { octets: body.length, digest: digestOf(body) }, body })
    }
    await this.#write(async connection => {
      await connection.query('delete from zw_file where path = $1 and part >= $2', [
        name,
        kept.length,
      ])
      for (const [i, { body }] of added.entries())
        await connection.query('insert into zw_file (path, part, body) values ($1, $2, $3)', [
          name,
          kept.length + i,
          body,
        ])
    })
    this.#stored.set(name, [...kept, ...added.map(({ part }) => part)])
  }

  /** Changes the table, unless another node has taken the duty. */
  #write(change: (connection: Connection) => Promise<void>): Promise<void> {
    const { engine, epoch } = this.#options
    return engine.use(connection =>
      connection.transaction(async () => {
        // A node that takes the duty waits until this is done.
        const { rows } = await connection.query(
          'select 1 from zw_duty where epoch = $1 and node = $2 for share',
          [epoch, engine.node],
        )
        if (rows.length === 0) throw new DutyLostError()
        await change(connection)
      }),
    )
  }

  async #isThere(name: string, parts: readonly Part[]): Promise<boolean> {
    const path = this.#pathOf(name)
    const octets = parts.reduce((sum, part) => sum + part.octets, 0)
    if ((await copy.size(path)) !== octets) return false
    let at = 0
    for (const part of parts) {
      const body = await copy.readPiece(path, at, part.octets)
      if (digestOf(body) !== part.digest) return false
      at += part.octets
    }
    return true
  }

  async #fetchFile(name: string, partCount: number): Promise<void> {
    const path = this.#pathOf(name)
    await copy.makeDirectory(path.slice(0, path.lastIndexOf('/')))
    const file = await copy.create(path)
    try {
      for (let part = 0; part < partCount; part += 1) {
        const { rows } = await this.#options.engine.use(connection =>
          connection.query<{ body: Buffer }>(
            'select body from zw_file where path = $1 and part = $2',
            [name, part],
          ),
        )
        // It was removed meanwhile: another node has the duty, and the first write will say so.
        if (rows[0] !== undefined) await file.append(rows[0].body)
      }
    } finally {
      await file.close()
    }
  }

  #nameOf(path: string): string {
    return relative(this.#options.directory, path)
  }

  #pathOf(name: string): string {
    return `${this.#options.directory}/${name}`
  }
}

/** All files in a directory and those in it. */
export async function filesBelow(
  files: Pick<FileSystem, 'list'>,
  directory: string,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await files.list(directory)) {
    const path = `${directory}/${name}`
    const isFile = await files.list(path).then(
      () => false,
      error => {
        if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true
        throw error
      },
    )
    if (isFile) found.push(path)
    else found.push(...(await filesBelow(files, path)))
  }
  return found
}

function digestOf(octets: Buffer): string {
  return createHash('sha256').update(octets).digest('hex')
}
