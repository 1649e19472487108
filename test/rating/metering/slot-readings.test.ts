import t from 'tap'
import { Account } from '../../../src/rating/metering/account.ts'
import { SlotReadings } from '../../../src/rating/metering/slot-readings.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'

function open() {
  const counted = new Map<string, number>()
  const booked: (readonly [string, number, number])[] = []
  const readings = new SlotReadings(
    (slot, at) => counted.get(`${slot} ${at}`) ?? 0,
    ({ owner }, at, amount) => booked.push([owner.zoneId, at, amount]),
  )
  const count = (slot: number, at: number, total: number) => counted.set(`${slot} ${at}`, total)
  return { readings, count, takeBooked: () => booked.splice(0) }
}

const accountOf = (id: string) => Account.open(ownerOf(id), 0, 0)
const rest = async () => undefined

t.test('what came on since a slot was read is booked once', async t => {
  const { readings, count, takeBooked } = open()
  readings.assign(3, accountOf('a'))
  count(3, 0, 5)
  count(3, 9, 700)
  await readings.readAll(rest)
  t.same(takeBooked(), [
    ['a', 0, 5],
    ['a', 9, 700],
  ])
  count(3, 0, 6)
  readings.read(3)
  await readings.readAll(rest)
  t.same(takeBooked(), [['a', 0, 1]])
})

t.test('a slot changes hands when it is free, and counts go on from where they were', async t => {
  const { readings, count, takeBooked } = open()
  readings.assign(0, accountOf('a'))
  count(0, 0, 10)
  readings.release(0)
  t.same(takeBooked(), [['a', 0, 10]])
  count(0, 0, 12)
  await readings.readAll(rest)
  t.same(takeBooked(), [], 'in between it is nobody’s')
  readings.assign(0, accountOf('b'))
  count(0, 0, 13)
  await readings.readAll(rest)
  t.same(takeBooked(), [['b', 0, 3]], 'a zone may be asked before it is told of')
  readings.release(99)
})
