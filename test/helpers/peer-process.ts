import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

// Another name server in its own foreground process, with its own folder and configuration, on a free
// port of 127.0.0.1.

/** Where it lives. There is a folder `run` in the folder. */
export type PeerPlace = {
  readonly folder: string
  readonly port: number
  /** A second port, for control or for answers over TLS. */
  readonly otherPort: number
}

/** The files to write into the folder, and the program to start. */
export type PeerRecipe = {
  readonly files: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

export type PeerOptions = {
  readonly name: string
  readonly recipe: (place: PeerPlace) => PeerRecipe
  /** Whether it is ready for use. */
  readonly isReady: (port: number) => Promise<boolean>
}

export type PeerProcess = PeerPlace & {
  /** Ends it and removes the folder. */
  close(): Promise<void>
}

const maxStarts = 5
/** On a machine that runs other tests at the same time. */
const patienceMs = 120_000
const lookEveryMs = 20
/** The servers' messages that the port is taken; BIND continues without TCP if it has UDP. */
const isTaken = /address (?:already )?in use|unable to listen on any configured interfaces/i

/** Starts a server and resolves once it is ready; on another port if another process took the first in the meantime.
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
