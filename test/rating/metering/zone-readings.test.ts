import t from 'tap'
import { Account } from '../../../src/rating/metering/account.ts'
import { ZoneReadings } from '../../../src/rating/metering/zone-readings.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'

function open() {
  const counted = new Map<string, number>()
  const booked: (readonly [string, number, number])[] = []
  const found = new Map<number, Account>()
  const readings = new ZoneReadings({
    count: (zoneNumber, at) => counted.get(`${zoneNumber} ${at}`) ?? 0,
    find: zoneNumber => found.get(zoneNumber),
    book: ({ owner }, at, amount) => booked.push([owner.zoneId, at, amount]),
  })
  const count = (zoneNumber: number, at: number, total: number) =>
    counted.set(`${zoneNumber} ${at}`, total)
  return { readings, count, found, takeBooked: () => booked.splice(0) }
}

const accountOf = (id: string) => Account.open(ownerOf(id), 0, 0)

t.test('what came on since a zone number was read is booked once', async t => {
  const { readings, count, takeBooked } = open()
  readings.assign(3, accountOf('a'))
  count(3, 0, 5)
  count(3, 9, 700)
  await readings.readAll(10)
  t.same(takeBooked(), [
    ['a', 0, 5],
    ['a', 9, 700],
  ])
  count(3, 0, 6)
  readings.read(3)
  await readings.readAll(10)
  t.same(takeBooked(), [['a', 0, 1]])
})

t.test(
  'a zone number changes hands when it is free, and counts go on from where they were',
  async t => {
    const { readings, count, takeBooked } = open()
    readings.assign(0, accountOf('a'))
    count(0, 0, 10)
    readings.release(0)
    t.same(takeBooked(), [['a', 0, 10]])
    count(0, 0, 12)
    await readings.readAll(10)
    t.same(takeBooked(), [], 'in between it is nobody’s')
    readings.assign(0, accountOf('b'))
    count(0, 0, 13)
    await readings.readAll(10)
    t.same(takeBooked(), [['b', 0, 3]], 'a zone may have queries before it is assigned')
    count(9, 0, 5)
    readings.release(9)
    readings.assign(9, accountOf('c'))
    await readings.readAll(10)
    t.same(takeBooked(), [], 'but not before it was there')
  },
)

t.test(
  'whose a zone number is that nobody was told of is found out when it is counted in',
  async t => {
    const { readings, count, found, takeBooked } = open()
    found.set(4, accountOf('c'))
    count(4, 0, 2)
    count(4, 1, 1)
    await readings.readAll(10)
    t.same(takeBooked(), [
      ['c', 0, 2],
      ['c', 1, 1],
    ])
  },
)
