import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openSystemCalls, type SystemCalls } from './threads/system-calls.ts'

// Notifies systemd (sd_notify(3)) that the service is ready, that it stops, and periodically that it is alive. The
// notification is a datagram to a Unix socket, which Node does not support; without koffi, systemd's own program
// sends it.

type Environment = Readonly<Record<string, string | undefined>>
type Send = (state: string) => Promise<void>

const unixFamily = 1
const datagramType = 2
const closeOnExec = 0o2000000

/** The service manager that started this process; does nothing where there is none. */
export class ServiceManager {
  readonly #send: Send
  readonly #watchdogMs: number
  #watchdog: NodeJS.Timeout | undefined

  private constructor(send: Send, watchdogMs: number) {
    this.#send = send
    this.#watchdogMs = watchdogMs
  }

  static async open({ NOTIFY_SOCKET, WATCHDOG_USEC }: Environment): Promise<ServiceManager> {
    if (NOTIFY_SOCKET === undefined) return new ServiceManager(async () => undefined, 0)
    return new ServiceManager(await senderTo(NOTIFY_SOCKET), Number(WATCHDOG_USEC ?? 0) / 1000)
  }

  /** Reports that the service is ready. If the manager has a watchdog, it is then reset for as long as the event loop
   *  runs. */
  async ready(): Promise<void> {
    await this.#send('READY=1')
    if (this.#watchdogMs === 0) return
    const tick = () => void this.#send('WATCHDOG=1').catch(() => undefined)
    this.#watchdog = setInterval(tick, this.#watchdogMs / 2)
    this.#watchdog.unref()
  }

  /** Reports that the service is stopping, which may take some time. */
  async stopping(): Promise<void> {
    clearInterval(this.#watchdog)
    await this.#send('STOPPING=1')
  }
}

async function senderTo(path: string): Promise<Send> {
  try {
    const calls = await openSystemCalls()
    return async state => sendDatagram(calls, path, state)
  } catch {
    return async state => void (await promisify(execFile)('systemd-notify', [state]))
  }
}

/** @throws Error the socket is gone */
function sendDatagram(calls: SystemCalls, path: string, state: string): void {
  const address = unixAddress(path)
  const socket = calls.socket(unixFamily, datagramType | closeOnExec, 0)
  const message = Buffer.from(state)
  const sent = calls.sendto(socket, message, message.length, 0, address, address.length)
  calls.close(socket)
  if (sent !== message.length) throw new Error(`the service manager cannot be reached at ${path}`)
}

/** The address of a socket (unix(7)); an abstract one is written with `@`. */
export function unixAddress(path: string): Buffer {
  const isAbstract = path.startsWith('@')
  const name = isAbstract ? `\0${path.slice(1)}` : `${path}\0`
  const address = Buffer.alloc(2 + Buffer.byteLength(name))
  address.writeUInt16LE(unixFamily)
  address.write(name, 2)
  return address
}
