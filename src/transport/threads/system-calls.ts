import { endianness } from 'node:os'
import { getSystemErrorName } from 'node:util'

// System calls that Node does not offer, which receive or send many datagrams at once. They are called through
// koffi, which is optional, and with structures laid out by hand (`layout.ts`), so this works only on systems
// whose layout is known.

/** The functions of the C library that are used. All return the result of C: -1 for a failure, with the cause in `errno`.
 *  Memory that a call uses only while it runs is passed as a view; a `bigint` is an address in memory that the caller
 *  keeps alive. */
export type SystemCalls = {
  socket(family: number, type: number, protocol: number): number
  setsockopt(
    descriptor: number,
    level: number,
    option: number,
    value: ArrayBufferView,
    octets: number,
  ): number
  bind(descriptor: number, address: Uint8Array, octets: number): number
  getsockname(descriptor: number, address: Uint8Array, octets: Uint32Array): number
  close(descriptor: number): number
  poll(entries: bigint, count: number, timeoutMs: number): number
  recvmmsg(
    descriptor: number,
    messages: bigint,
    count: number,
    flags: number,
    timeout: null,
  ): number
  sendmmsg(descriptor: number, messages: bigint, count: number, flags: number): number
  recvfrom(
    descriptor: number,
    room: Uint8Array,
    octets: number,
    flags: number,
    address: Uint8Array,
    addressOctets: Uint32Array,
  ): number
  sendto(
    descriptor: number,
    message: Uint8Array,
    octets: number,
    flags: number,
    address: Uint8Array,
    addressOctets: number,
  ): number
  madvise(address: bigint, octets: bigint, advice: number): number
  malloc_trim(keptOctets: number): number
  /** Why the last call of this thread failed; must be read directly after the call. */
  errno(): number
  /** The memory address of a view, valid for as long as the view's buffer lives. */
  addressOf(view: Uint8Array): bigint
}

type Koffi = typeof import('koffi')
export type LoadKoffi = () => Promise<Koffi>

const declarations = {
  socket: 'int socket(int, int, int)',
  setsockopt: 'int setsockopt(int, int, int, void *, unsigned int)',
  bind: 'int bind(int, void *, unsigned int)',
  getsockname: 'int getsockname(int, void *, void *)',
  close: 'int close(int)',
  poll: 'int poll(void *, unsigned long, int)',
  recvmmsg: 'int recvmmsg(int, void *, unsigned int, int, void *)',
  sendmmsg: 'int sendmmsg(int, void *, unsigned int, int)',
  recvfrom: 'long recvfrom(int, void *, size_t, int, void *, void *)',
  sendto: 'long sendto(int, void *, size_t, int, void *, unsigned int)',
  madvise: 'int madvise(void *, size_t, int)',
  malloc_trim: 'int malloc_trim(size_t)',
} as const satisfies Partial<Record<keyof SystemCalls, string>>

/** Binds the calls.
 *  @throws Error this system does not have them, or not in the known form; the message says which. */
export async function openSystemCalls(
  load: LoadKoffi = () => import('koffi'),
): Promise<SystemCalls> {
  const isKnown = process.arch === 'x64' || process.arch === 'arm64'
  if (process.platform !== 'linux' || !isKnown || endianness() !== 'LE') {
    throw new Error(`system calls are known for Linux on x64 and arm64, not ${platformName()}`)
  }
  const koffi = await loadKoffi(load)
  const library = koffi.load(null)
  try {
    library.func('const char *gnu_get_libc_version()')
  } catch (cause) {
    throw new Error('structures are laid out for the GNU C library, and this is another', { cause })
  }
  const functions = Object.entries(declarations).map(([name, text]) => [name, library.func(text)])
  return {
    ...(Object.fromEntries(functions) as Pick<SystemCalls, keyof typeof declarations>),
    errno: () => koffi.errno(),
    addressOf: view => koffi.address(view),
  }
}

/** The error that Node itself would throw for a call that has just failed. */
export function systemError(calls: SystemCalls, call: string): NodeJS.ErrnoException {
  const errno = -calls.errno()
  const code = getSystemErrorName(errno)
  return Object.assign(new Error(`${call}: ${code}`), { code, errno, syscall: call })
}

async function loadKoffi(load: LoadKoffi): Promise<Koffi> {
  try {
    return await load()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`koffi cannot be loaded: ${reason}`, { cause })
  }
}

function platformName(): string {
  return `${process.platform} on ${process.arch}`
}
