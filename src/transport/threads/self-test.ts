import { isIPv6 } from 'node:net'
import type { ListenAddress } from '../answer.ts'
import { BatchSocket } from './batch-socket.ts'
import { type DatagramBuffers, newDatagramBuffers } from './datagram-buffers.ts'
import {
  closeDatagramSockets,
  type DatagramSocket,
  openDatagramSockets,
  socketAddress,
} from './datagram-socket.ts'
import { type Layout, linuxLayout, messageFlags } from './layout.ts'
import {
  decodeSocketAddress,
  encodeSocketAddress,
  isWildcard,
  maxSocketAddressOctets,
} from './socket-address.ts'
import { type SystemCalls, systemError } from './system-calls.ts'

// Structures laid out by hand must be right: with a wrong offset the kernel overwrites other memory. So before
// they are used, a few datagrams pass through a batch over the loopback interface, sent and received at the
// other end by calls that take no structures. Takes about a millisecond.

/** Distinct lengths that identify buffers. Every second request is left unanswered, so that peers have to move up. */
const requestLengths = [1, 12, 512, 1232, 77, 9000]
const isAnswered = (i: number): boolean => i % 2 === 0
const answerOctets = (request: number): number => 100 + request
const mark = (i: number): number => 0x51 + i

/** Checks everything needed to listen on these hosts: their families, and answers from the address that was asked.
 *  @throws Error the system does not match `layout`. */
export function checkBatches(
  calls: SystemCalls,
  hosts: readonly string[],
  layout: Layout = linuxLayout,
): void {
  const buffers = newDatagramBuffers()
  for (const kind of new Set(hosts.map(kindOf))) checkKind(calls, kinds[kind], { layout, buffers })
}

type Kind = { readonly bound: string; readonly asked: string; readonly client: string }

const kinds = {
  ipv4: { bound: '127.0.0.1', asked: '127.0.0.1', client: '127.0.0.1' },
  ipv6: { bound: '::1', asked: '::1', client: '::1' },
  // By default the kernel would answer from 127.0.0.1.
  ipv4Wildcard: { bound: '0.0.0.0', asked: '127.0.0.2', client: '127.0.0.1' },
  ipv6Wildcard: { bound: '::', asked: '::1', client: '::1' },
} as const satisfies Record<string, Kind>

function kindOf(host: string): keyof typeof kinds {
  if (isIPv6(host)) return isWildcard(host) ? 'ipv6Wildcard' : 'ipv6'
  return isWildcard(host) ? 'ipv4Wildcard' : 'ipv4'
}

function checkKind(
  calls: SystemCalls,
  { bound, asked, client }: Kind,
  { layout, buffers }: { readonly layout: Layout; readonly buffers: DatagramBuffers },
): void {
  const sockets: DatagramSocket[] = []
  const open = (host: string): DatagramSocket => {
    const opened = openDatagramSockets(calls, { host, port: 0 }, 1).sockets
    sockets.push(...opened)
    return opened[0] ?? failed('no socket')
  }
  try {
    const server = open(bound)
    const { port } = socketAddress(calls, server)
    const ends = { client: open(client), address: { host: asked, port } }
    const batch = new BatchSocket({ calls, socket: server, buffers, layout })
    sendRequests(calls, ends)
    answerRequests(batch, buffers)
    checkAnswers(calls, ends)
  } finally {
    closeDatagramSockets(calls, sockets)
  }
}

type Ends = { readonly client: DatagramSocket; readonly address: ListenAddress }

function sendRequests(calls: SystemCalls, { client, address }: Ends): void {
  const to = encodeSocketAddress(address)
  requestLengths.forEach((octets, i) => {
    const request = new Uint8Array(octets).fill(mark(i))
    if (calls.sendto(client.descriptor, request, octets, 0, to, to.length) !== octets)
      throw systemError(calls, 'sendto')
  })
}

/** Answers all requests, in as many batches as needed. */
function answerRequests(batch: BatchSocket, buffers: DatagramBuffers): void {
  for (let seenCount = 0; seenCount < requestLengths.length; ) {
    const count = batch.receive(messageFlags.waitForOne)
    if (count === 0) failed(`${seenCount} of ${requestLengths.length} datagrams were received`)
    let keptCount = 0
    for (let i = 0; i < count; i += 1) {
      const request = seenCount + i
      checkRequest(batch, buffers, { index: i, request })
      if (!isAnswered(request)) continue
      buffers.responses[keptCount]?.fill(mark(request))
      batch.keep(keptCount, answerOctets(request), i)
      keptCount += 1
    }
    if (batch.send(keptCount) !== keptCount) failed('a datagram was not sent')
    seenCount += count
  }
}

function checkRequest(
  batch: BatchSocket,
  { requests }: DatagramBuffers,
  { index, request }: { readonly index: number; readonly request: number },
): void {
  const octets = batch.requestOctets(index)
  if (octets !== requestLengths[request])
    failed(`a datagram of ${requestLengths[request]} octets is said to have ${octets}`)
  if (!requests[index]?.subarray(0, octets).every(octet => octet === mark(request)))
    failed('a datagram was not received into its buffer')
  if (!batch.isAnswerable(index)) failed('a datagram came from nowhere')
}

function checkAnswers(calls: SystemCalls, { client, address }: Ends): void {
  const room = new Uint8Array(0x1_0000)
  const from = new Uint8Array(maxSocketAddressOctets)
  for (const i of requestLengths.keys()) {
    if (!isAnswered(i)) continue
    const { descriptor } = client
    const fromOctets = Uint32Array.of(from.length)
    const octets = calls.recvfrom(descriptor, room, room.length, 0, from, fromOctets)
    if (octets !== answerOctets(i)) failed(`an answer of ${answerOctets(i)} octets has ${octets}`)
    if (!room.subarray(0, octets).every(octet => octet === mark(i)))
      failed('an answer was not sent from its buffer')
    const { host, port } = decodeSocketAddress(from)
    if (host !== address.host || port !== address.port)
      failed(`an answer came from ${host}, and ${address.host} was asked`)
  }
}

function failed(problem: string): never {
  throw new Error(`the test of batched system calls failed: ${problem}`)
}
