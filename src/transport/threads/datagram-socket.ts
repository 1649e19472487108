import type { ListenAddress } from '../answer.ts'
import {
  families,
  ipOptions,
  ipv6Options,
  levels,
  probePath,
  socketOptions,
  socketType,
} from './layout.ts'
import {
  decodeSocketAddress,
  encodeSocketAddress,
  isWildcard,
  maxSocketAddressOctets,
} from './socket-address.ts'
import { type SystemCalls, systemError } from './system-calls.ts'

/** A bound UDP socket. Any thread can use it directly, since descriptors belong to the whole process. */
export type DatagramSocket = {
  readonly descriptor: number
  readonly family: number
  /** Bound to all addresses, so an answer must say which of them it comes from. */
  readonly isWildcard: boolean
}

/** Some 30,000 queries, 70 ms at full load, which is as long as a thread may have to wait for a processor. */
const receiveBufferOctets = 16 << 20
const sendBufferOctets = 1 << 20

/** The longest sleep of a thread that waits for datagrams before it checks whether it should end. */
export const receiveTimeoutMs = 100
/** Bounds the wait for a busy network card, or for a neighbor that does not resolve; other clients must not wait for these. */
const sendTimeoutMs = 5

/** Opens `count` sockets for one address; the kernel distributes the clients over them. No other process can share the
 *  port: the first socket is bound exclusively and made shareable only then.
 *  @throws NodeJS.ErrnoException the address cannot be bound; then none is left open. */
export function openDatagramSockets(
  calls: SystemCalls,
  address: ListenAddress,
  count: number,
): { readonly sockets: readonly DatagramSocket[]; readonly address: ListenAddress } {
  const sockets: DatagramSocket[] = []
  const open = (): DatagramSocket => {
    const socket = openSocket(calls, address)
    sockets.push(socket)
    return socket
  }
  try {
    const first = open()
    bindSocket(calls, first, address)
    const bound = { ...address, port: socketAddress(calls, first).port }
    if (count > 1) setOption(calls, first, reusePort)
    while (sockets.length < count) {
      const next = open()
      setOption(calls, next, reusePort)
      bindSocket(calls, next, bound)
    }
    return { sockets, address: bound }
  } catch (error) {
    closeDatagramSockets(calls, sockets)
    throw error
  }
}

/** Closes sockets that no thread uses any more: the next opened descriptors get the same numbers. */
export function closeDatagramSockets(calls: SystemCalls, sockets: readonly DatagramSocket[]): void {
  for (const { descriptor } of sockets) calls.close(descriptor)
}

/** The address of a bound socket, with the real port, as text and in the kernel's form. */
export function socketAddress(
  calls: SystemCalls,
  { descriptor }: DatagramSocket,
): ListenAddress & { readonly octets: Uint8Array } {
  const room = new Uint8Array(maxSocketAddressOctets)
  const length = Uint32Array.of(room.length)
  if (calls.getsockname(descriptor, room, length) < 0) throw systemError(calls, 'getsockname')
  return { ...decodeSocketAddress(room), octets: room.subarray(0, length[0]) }
}

type Option = {
  readonly level: number
  readonly option: number
  readonly value: ArrayBufferView
}

function openSocket(calls: SystemCalls, { host }: ListenAddress): DatagramSocket {
  const family = host.includes(':') ? families.inet6 : families.inet
  const descriptor = calls.socket(family, socketType.datagram | socketType.closeOnExec, 0)
  if (descriptor < 0) throw systemError(calls, 'socket')
  const socket = { descriptor, family, isWildcard: isWildcard(host) }
  try {
    for (const option of optionsOf(socket)) setOption(calls, socket, option)
  } catch (error) {
    calls.close(descriptor)
    throw error
  }
  // The limit for unprivileged processes is a few milliseconds of queries; a privileged one can exceed it.
  calls.setsockopt(descriptor, levels.socket, socketOptions.receiveBufferForce, receiveBuffer, 4)
  return socket
}

const receiveBuffer = Int32Array.of(receiveBufferOctets)
const reusePort: Option = socketOption(socketOptions.reusePort, Int32Array.of(1))

/** RFC 9715, section 3.1. No answer is longer than every path allows, and a datagram that must not be fragmented needs
 *  no identification, which the kernel would otherwise choose for each at 4% of the cost of an answer. */
const neverFragment: Option = {
  level: levels.ip,
  option: ipOptions.pathDiscovery,
  value: Int32Array.of(probePath),
}

function optionsOf({ family, isWildcard }: DatagramSocket): readonly Option[] {
  const isIpv6 = family === families.inet6
  const value = Int32Array.of(1)
  const packetInfo = isIpv6
    ? { level: levels.ipv6, option: ipv6Options.receivePacketInfo, value }
    : { level: levels.ip, option: ipOptions.packetInfo, value }
  return [
    // IPv6 sockets do not take IPv4, so that both families can be configured on the same port.
    ...(isIpv6 ? [{ level: levels.ipv6, option: ipv6Options.v6Only, value }] : []),
    ...(isWildcard ? [packetInfo] : []),
    ...(isIpv6 ? [] : [neverFragment]),
    socketOption(socketOptions.receiveTimeout, timeValue(receiveTimeoutMs)),
    socketOption(socketOptions.sendTimeout, timeValue(sendTimeoutMs)),
    socketOption(socketOptions.sendBuffer, Int32Array.of(sendBufferOctets)),
    socketOption(socketOptions.receiveBuffer, receiveBuffer),
  ]
}

function socketOption(option: number, value: ArrayBufferView): Option {
  return { level: levels.socket, option, value }
}

/** `struct timeval` */
function timeValue(milliseconds: number): BigInt64Array {
  return BigInt64Array.of(0n, BigInt(milliseconds) * 1000n)
}

function setOption(calls: SystemCalls, { descriptor }: DatagramSocket, to: Option): void {
  const { level, option, value } = to
  if (calls.setsockopt(descriptor, level, option, value, value.byteLength) < 0)
    throw systemError(calls, 'setsockopt')
}

function bindSocket(
  calls: SystemCalls,
  { descriptor }: DatagramSocket,
  address: ListenAddress,
): void {
  const octets = encodeSocketAddress(address)
  if (calls.bind(descriptor, octets, octets.length) < 0) throw systemError(calls, 'bind')
}
