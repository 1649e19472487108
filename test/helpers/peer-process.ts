import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

// A server of another make in a process of its own, in the foreground, in a folder of its own with a
// configuration of its own, on a free port of 127.0.0.1.

/** Where it lives. There is a folder `run` in the folder. */
export type PeerPlace = {
  readonly folder: string
  readonly port: number
  /** For what it does not do at the first: to be controlled, or to answer over TLS. */
  readonly otherPort: number
}

/** What to write into which file of the folder, and what to start. */
export type PeerRecipe = {
  readonly files: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

export type PeerOptions = {
  readonly name: string
  readonly recipe: (place: PeerPlace) => PeerRecipe
  /** Whether it does what it is there for. */
  readonly isReady: (port: number) => Promise<boolean>
}

export type PeerProcess = PeerPlace & {
  /** Ends it and removes the folder. */
  close(): Promise<void>
}

const maxStarts = 5
/** On a machine that runs other tests besides. */
const patienceMs = 120_000
const lookEveryMs = 20
/** How the servers say that somebody else has the port; BIND serves on without TCP where it has UDP. */
const isTaken = /address (?:already )?in use|unable to listen on any configured interfaces/i

/** Starts a server and resolves once it is ready; on another port where somebody took the first in between.
 *  @throws Error it ended before, or is not ready in time; the message holds what it printed last. */
export async function startPeerProcess(options: PeerOptions): Promise<PeerProcess> {
  for (let starts = 1; ; starts += 1) {
    const ports = { port: await freePort(), otherPort: await freePort() }
    const peer = new StartedPeer(options, ports)
    try {
      await peer.untilReady(options.isReady)
      return peer
    } catch (error) {
      await peer.close()
      if (starts === maxStarts || !isTaken.test(peer.output)) throw error
    }
  }
}

class StartedPeer implements PeerProcess {
  readonly port: number
  readonly otherPort: number
  readonly folder: string
  readonly #name: string
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #hasEnded = false
  readonly #output: string[] = []

  constructor(
    { name, recipe }: PeerOptions,
    { port, otherPort }: Pick<PeerPlace, 'port' | 'otherPort'>,
  ) {
    this.#name = name
    this.port = port
    this.otherPort = otherPort
    // Not in a folder of the test's: Knot binds a socket in it, whose path may have 107 characters.
    this.folder = mkdtempSync(join(tmpdir(), `${name}-`))
    mkdirSync(join(this.folder, 'run'))
    const { files, command } = recipe({ folder: this.folder, port, otherPort })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(this.folder, file), text)
    const [program = '', ...words] = command
    this.#child = spawn(program, words, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', text => this.#output.push(String(text)))
    this.#ended = this.#untilEnded()
  }

  get output(): string {
    return this.#output.join('')
  }

  async untilReady(isReady: PeerOptions['isReady']): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (!this.#hasEnded && !isTaken.test(this.output) && performance.now() < deadline) {
      if (await isReady(this.port)) return
      await Promise.race([this.#ended, delay(lookEveryMs)])
    }
    throw new Error(`${this.#name} is not ready:\n${this.output.slice(-2000)}`)
  }

  async close(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#ended
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #untilEnded(): Promise<void> {
    try {
      await once(this.#child, 'close')
    } catch (error) {
      // There is no such program.
      this.#output.push(String(error))
    }
    this.#hasEnded = true
  }
}
