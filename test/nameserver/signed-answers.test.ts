import { Worker } from 'node:worker_threads'
import t from 'tap'
import { denials } from '../../src/dnssec/denial.ts'
import { ChangingSignedZone } from '../helpers/changing-signed-zone.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import type { Validated, ValidatingData } from '../helpers/validating-thread.ts'
import { openTable } from '../helpers/zone-table.ts'

// Answers of a signed zone while names of it come, go and become cuts, wildcards and aliases: each is judged by itself, as by a
// validator that has nothing else. With TEST_DEPTH=110 they are a million.

const threadCount = 2
const answerCount = 1500 * depth
const timeout = 300_000 * depth

t.setTimeout(4 * timeout)

for (const denial of denials) {
  t.test(`${denial}: each answer validates by itself`, { timeout }, async t => {
    const table = openTable({ reserveOctets: 2 ** 26 })
    const signed = new ChangingSignedZone(table, new Dice(denial.length), denial)
    const target = table.addTarget()
    target.publish(signed.zone)
    let isDone = false
    const answered = Promise.all(
      Array.from({ length: threadCount }, (_, seed) => {
        const { handle } = table.readers.open(target)
        return validate({ handle, dnskey: signed.dnskey, seed, answerCount })
      }),
    ).finally(() => {
      isDone = true
    })
    while (!isDone) {
      signed.change()
      table.reclaim(100)
      await new Promise(setImmediate)
    }
    const all = await answered
    t.same(
      all.flatMap(({ bogus }) => bogus),
      [],
    )
    const failedCount = all.reduce((sum, { failedCount }) => sum + failedCount, 0)
    t.ok(failedCount < answerCount, `${failedCount} answers are SERVFAIL`)
  })
}

function validate(workerData: ValidatingData): Promise<Validated> {
  const thread = new Worker(new URL('../helpers/validating-thread.ts', import.meta.url), {
    workerData,
  })
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}
