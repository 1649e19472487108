import t from 'tap'
import { ChangingDuty, soleDuty } from '../../src/cluster/duty.ts'

t.test('a server that is alone has the duty and never loses it', async t => {
  const terms: AbortSignal[] = []
  soleDuty.whenHeld(lost => terms.push(lost))
  t.equal(soleDuty.isHeld, true)
  t.strictSame(
    terms.map(({ aborted }) => aborted),
    [false],
  )
})

t.test('who waits for the duty hears of each time that it is taken, and of its loss', async t => {
  const duty = new ChangingDuty()
  const terms: AbortSignal[] = []
  duty.whenHeld(lost => terms.push(lost))
  t.equal(duty.isHeld, false)
  t.equal(terms.length, 0)
  duty.take(3)
  t.equal(duty.isHeld, true)
  t.equal(duty.epoch, 3)
  t.equal(terms[0]?.aborted, false)
  const late: AbortSignal[] = []
  duty.whenHeld(lost => late.push(lost))
  t.equal(late.length, 1, 'at once')
  duty.lose()
  duty.lose()
  t.equal(duty.isHeld, false)
  t.equal(terms[0]?.aborted, true)
  t.equal(late[0]?.aborted, true)
  duty.take(5)
  t.equal(terms.length, 2)
  t.equal(terms[1]?.aborted, false)
  t.equal(duty.epoch, 5)
})
