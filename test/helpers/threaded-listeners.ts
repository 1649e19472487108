import type { Test } from 'tap'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { Listeners, type ListenersOptions } from '../../src/transport/listeners.ts'
import { openSystemCalls } from '../../src/transport/threads/system-calls.ts'
import { DatagramClient } from './datagram-client.ts'

/** Why tests of batched system calls cannot run on this machine; false where they can. */
export const unbatched: string | false = await openSystemCalls().then(
  () => false,
  (error: Error) => error.message,
)

export const echoModule = new URL('./echo-responder.ts', import.meta.url).href

/** Starts threads that echo on ports chosen by the system, until the test ends.
 *  @throws Error there are no threads. */
export async function listenInThreads(
  t: Test,
  {
    hosts = ['127.0.0.1'],
    count = 1,
    greeting = '',
    ...options
  }: Partial<ListenersOptions> & {
    readonly hosts?: readonly string[]
    readonly count?: number
    readonly greeting?: string
  } = {},
): Promise<Listeners> {
  let fallback: string | undefined
  const listeners = await Listeners.open({
    addresses: hosts.map(host => ({ host, port: 0 })),
    answer: () => undefined,
    report: error => t.error(error),
    threads: {
      count,
      responder: echoModule,
      openReader: () => ({ handle: greeting, close: () => undefined }),
    },
    onFallback: reason => {
      fallback = reason
    },
    ...options,
  })
  t.teardown(() => listeners.close())
  if (fallback !== undefined) throw new Error(`there are no threads: ${fallback}`)
  return listeners
}

export async function connectTo(
  t: Test,
  address: ListenAddress | undefined,
): Promise<DatagramClient> {
  if (address === undefined) throw new Error('nobody listens')
  const client = await DatagramClient.connect(address)
  t.teardown(() => client.close())
  return client
}
