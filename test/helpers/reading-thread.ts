import { parentPort, workerData } from 'node:worker_threads'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { ZoneTableHandle } from '../../src/zone/table/handle.ts'
import { queryFor, type Reply, replyFrom } from './ask.ts'

// A thread that queries a table for names that another thread keeps changing, and records every answer that
// no order of the changes explains. It ends after a given number of rounds and changes.

export type ReadingData = {
  readonly handle: ZoneTableHandle
  readonly roundCount: number
  /** Shared with the thread that changes the table: the minimum number of changes still to come. */
  readonly changesLeft: Int32Array
}

/** The questions, and what every answer to each must be. */
const rules: readonly (readonly [question: string, isRight: (reply: Reply) => boolean])[] = [
  // Never changes.
  ['stable.churn. A', reply => reply.answer.join() === 'stable.churn. 60 A 192.0.2.1'],
  // Two records that are always changed together.
  ['pair.churn. A', reply => new Set(reply.answer.map(line => line.split('.').at(-1))).size === 1],
  // Changes from an address to an alias and back.
  ['flip.churn. A', ({ rcode, answer }) => rcode === 'NOERROR' && answer.length > 0],
  // Appears and disappears, with the names above it.
  [
    'a.b.c.churn. TXT',
    ({ rcode, answer }) => (rcode === 'NOERROR' ? answer.length < 2 : rcode === 'NXDOMAIN'),
  ],
  // Is below a cut that appears and disappears.
  [
    'x.cut.churn. A',
    ({ flags, answer, authority, additional }) =>
      flags === 'aa' ? answer.length === 1 : authority.length === 1 && additional.length === 1,
  ],
  // Is that cut: its NS are in the authority section and never in the answer.
  ['cut.churn. NS', ({ answer, authority }) => answer.length === 0 && authority.length === 1],
  // Is below a wildcard that is removed and restored.
  ['any.wild.churn. A', ({ answer }) => answer.length < 2],
  // A zone that is replaced as a whole, with data that names its serial.
  ['www.swap. TXT', ({ answer }) => answer.length === 1],
  ['missing.swap. TXT', ({ rcode, authority }) => rcode === 'NXDOMAIN' && authority.length === 1],
]

function main({ handle, roundCount, changesLeft }: ReadingData): void {
  const responder = openResponder(handle, defect => {
    throw defect
  })
  const requests = rules.map(([question]) => queryFor(question))
  const room = new Uint8Array(1232)
  const wrong: string[] = []
  for (let round = 0; round < roundCount || Atomics.load(changesLeft, 0) > 0; round += 1) {
    responder.enter()
    requests.forEach((request, i) => {
      responder.take(i, request, request.length, 'udp')
    })
    responder.prefetch(requests.length)
    requests.forEach((_, i) => {
      const octets = responder.respond(i, room)
      const reply = replyFrom(room.slice(0, octets))
      const [question, isRight] = rules[i] as (typeof rules)[number]
      if (isRight(reply) || wrong.length === 10) return
      const { rcode, flags, answer, authority, additional } = reply
      wrong.push(JSON.stringify({ question, rcode, flags, answer, authority, additional }))
    })
    responder.leave()
  }
  parentPort?.postMessage(wrong)
}

main(workerData as ReadingData)
