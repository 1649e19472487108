import t from 'tap'
import { HeldOctets } from '../src/held-octets.ts'

t.test('holders share one bound, and give back what they held', async t => {
  const octets = new HeldOctets({ each: 100, all: 100 })
  const one = octets.open('one')
  const two = octets.open('two')
  t.ok(one.hold(60))
  t.notOk(two.hold(41))
  t.ok(two.hold(40))
  one.release()
  one.release()
  t.ok(two.hold(60))
  t.notOk(two.hold(1))
})

t.test('the holders of one key leave room for those of others', async t => {
  const octets = new HeldOctets({ each: 100, all: 120 })
  const holders = [octets.open('one'), octets.open('one')] as const
  t.ok(holders[0].hold(60))
  t.ok(holders[1].hold(40))
  t.notOk(holders[1].hold(1))
  t.ok(octets.open('other').hold(20))
  holders[0].release()
  t.ok(holders[1].hold(60))
})
