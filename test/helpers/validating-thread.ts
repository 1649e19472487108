import { parentPort, workerData } from 'node:worker_threads'
import { parseName } from '../../src/dns/name.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { ZoneTableHandle } from '../../src/zone/table/handle.ts'
import { queryFor, replyFrom } from './ask.ts'
import { questionNear, signedApex, signedAtSeconds } from './changing-signed-zone.ts'
import { Dice } from './dice.ts'
import { AnswerValidator } from './verify-answer.ts'

// A thread that queries a signed zone while another thread keeps changing it, and validates each answer alone.

export type ValidatingData = {
  readonly handle: ZoneTableHandle
  readonly dnskey: Uint8Array
  readonly seed: number
  readonly answerCount: number
}

/** The bogus answers, and the number of SERVFAILs caused by the continuous changes. */
export type Validated = { readonly bogus: readonly string[]; readonly failedCount: number }

function main({ handle, dnskey, seed, answerCount }: ValidatingData): void {
  const responder = openResponder(handle, defect => {
    throw defect
  })
  const validator = new AnswerValidator(parseName(signedApex), dnskey)
  const dice = new Dice(seed)
  const room = new Uint8Array(4096)
  const bogus: string[] = []
  let failedCount = 0
  for (let i = 0; i < answerCount; i += 1) {
    const question = questionNear(dice)
    const request = queryFor(question, { edns: { isDnssecOk: true } })
    responder.enter()
    responder.take(0, request, request.length, 'tcp')
    const octets = responder.respond(0, room)
    responder.leave()
    const reply = replyFrom(room.slice(0, octets))
    if (reply.rcode === 'SERVFAIL') {
      failedCount += 1
      continue
    }
    try {
      validator.check(reply, signedAtSeconds)
    } catch (error) {
      const { rcode, answer, authority } = reply
      bogus.push([question, rcode, ...answer, ...authority, error].join('\n'))
    }
  }
  parentPort?.postMessage({ bogus, failedCount } satisfies Validated)
}

main(workerData)
