import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { denials } from '../../src/dnssec/denial.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import {
  ChangingSignedZone,
  questionNear,
  signedApex,
  signedAtSeconds,
} from '../helpers/changing-signed-zone.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { AnswerValidator } from '../helpers/verify-answer.ts'
import { openTable } from '../helpers/zone-table.ts'

// Answers of a signed zone while names of it come, go and become cuts and aliases: each is judged by itself, as by a validator
// that has nothing else. With TEST_DEPTH=50 they are a million.

const changeCount = 150 * depth
const questionsPerStep = 15

for (const denial of denials) {
  t.test(`${denial}: between the steps of a change each answer validates`, async t => {
    const table = openTable({ reserveOctets: 2 ** 26 })
    const dice = new Dice(denial.length)
    const signed = new ChangingSignedZone(table, dice, denial)
    const target = table.addTarget()
    target.publish(signed.zone)
    const responder = openResponder(table.readers.open(target).handle, defect => {
      throw defect
    })
    const validator = new AnswerValidator(parseName(signedApex), signed.dnskey)
    const room = new Uint8Array(4096)
    let answerCount = 0
    for (let i = 0; i < changeCount; i += 1) {
      for (const _ of signed.change()) {
        for (let left = questionsPerStep; left > 0; left -= 1) {
          const question = questionNear(dice)
          const request = queryFor(question, { edns: { isDnssecOk: true } })
          responder.enter()
          responder.take(0, request, request.length, 'tcp')
          const octets = responder.respond(0, room)
          responder.leave()
          const reply = replyFrom(room.slice(0, octets))
          answerCount += 1
          if (reply.rcode === 'SERVFAIL') continue
          try {
            validator.check(reply, signedAtSeconds)
          } catch (cause) {
            const { rcode, answer, authority } = reply
            throw new Error([question, rcode, ...answer, ...authority].join('\n'), { cause })
          }
        }
      }
      table.reclaim(100)
    }
    t.ok(answerCount > changeCount * questionsPerStep * 2, `${answerCount} answers`)
  })
}
