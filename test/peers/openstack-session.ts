import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { OpenstackCommands, type Outcome } from './openstack-commands.ts'

/** The mark that the session makes the client print after each command. */
const mark = '=== done ===\n'
const markCommand = `shell sh -c 'echo "${mark.trim()}"; echo "${mark.trim()}" >&2'\n`

/** One `openstack` that reads commands from its input, as a user types them at its prompt: it takes a second
 *  to load and log in, and then milliseconds for each command. It does not report how a command ended, so
 *  a command that complains counts as failed. A `--sudo-project-id` holds until another is given. */
export class OpenstackSession extends OpenstackCommands {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #stdout: Output
  readonly #stderr: Output
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(child: ChildProcessWithoutNullStreams) {
    super()
    this.#child = child
    this.#stdout = new Output(child.stdout)
    this.#stderr = new Output(child.stderr)
  }

  /** @param program `openstack`, or another client of the same design */
  static start(
    t: Test,
    environment: Readonly<Record<string, string>>,
    program = 'openstack',
  ): OpenstackSession {
    const child = spawn(`/usr/bin/${program}`, [], {
      // Otherwise what commands print may come after the mark, which another program prints.
      env: { ...environment, PYTHONUNBUFFERED: '1' },
    })
    const exited = once(child, 'exit')
    // It has ended: the waiters for its output are notified.
    child.stdin.on('error', () => undefined)
    t.teardown(async () => {
      child.stdin.end()
      await exited
    })
    return new OpenstackSession(child)
  }

  perform(words: readonly string[]): Promise<Outcome> {
    const outcome = this.#turn.then(() => this.#exchange(words.map(quote).join(' ')))
    this.#turn = outcome.catch(() => undefined)
    return outcome
  }

  async #exchange(line: string): Promise<Outcome> {
    this.#child.stdin.write(`${line}\n${markCommand}`)
    const [stdout, stderr] = await Promise.all([this.#stdout.untilMark(), this.#stderr.untilMark()])
    return { hasFailed: stderr !== '', stdout, stderr }
  }
}

/** The text from one of the client's outputs. */
class Output {
  readonly #chunks: AsyncIterator<string>
  #text = ''

  constructor(stream: Readable) {
    this.#chunks = stream.setEncoding('utf8')[Symbol.asyncIterator]()
  }

  /** @throws Error the client ended before */
  async untilMark(): Promise<string> {
    while (!this.#text.includes(mark)) {
      const { done, value } = await this.#chunks.next()
      if (done === true) throw new Error(`openstack has ended: ${this.#text}`)
      this.#text += value
    }
    const end = this.#text.indexOf(mark)
    const before = this.#text.slice(0, end)
    this.#text = this.#text.slice(end + mark.length)
    return before
  }
}

/** The client strips quotes twice: when it reads the line, and when it splits it into words. */
function quote(word: string): string {
  if (/^[\w./:@=,*-]+$/.test(word)) return word
  if (word.includes("'")) throw new Error(`cannot be typed: ${word}`)
  return `'"${word.replace(/["\\]/g, '\\$&')}"'`
}
