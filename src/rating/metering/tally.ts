import type { Period } from '../period.ts'

// What is counted of a zone in an hour, as a short row of whole numbers: responses by rcode and transport, octets by
// transport, and for how long the zone and its recordsets have been there.

/** The responses that are distinguished, in the order they are tallied in. */
export const responseKinds = [
  { transport: 'udp', rcode: 'NOERROR' },
  { transport: 'udp', rcode: 'NXDOMAIN' },
  { transport: 'udp', rcode: 'SERVFAIL' },
  { transport: 'udp', rcode: 'YXDOMAIN' },
  { transport: 'tcp', rcode: 'NOERROR' },
  { transport: 'tcp', rcode: 'NXDOMAIN' },
  { transport: 'tcp', rcode: 'SERVFAIL' },
  { transport: 'tcp', rcode: 'YXDOMAIN' },
] as const

/** The transports whose octets are counted, behind the responses. */
export const octetKinds = [{ transport: 'udp' }, { transport: 'tcp' }] as const

export const octetsAt = responseKinds.length
/** So many numbers are counted where queries are answered; the rest is time. */
export const countedLength = octetsAt + octetKinds.length
/** For how long the zone was there, in milliseconds. */
export const zoneMillisAt = countedLength
/** The same for each of its recordsets, added up. */
export const recordsetMillisAt = countedLength + 1
const tallyLength = countedLength + 2

/** The numbers of one hour. All are whole, below 2^53, and only grow. */
export type Tally = number[]

export function newTally(): Tally {
  return new Array<number>(tallyLength).fill(0)
}

export function addTo(tally: Tally, at: number, amount: number): void {
  tally[at] = (tally[at] ?? 0) + amount
}

/** An hour, as a count of hours since the epoch: what is metered is kept by it. */
export type Hour = number

export const hourMillis = 3_600_000

export function hourOf(millis: number): Hour {
  return Math.floor(millis / hourMillis)
}

/** When an hour begins, in milliseconds. */
export function beginOf(hour: Hour): number {
  return hour * hourMillis
}

export function periodOf(hour: Hour): Period {
  return { begin: hour * 3600, end: (hour + 1) * 3600 }
}
