import t from 'tap'
import {
  type ServicePart,
  ServiceStatuses,
} from '../../../src/service/operations/service-statuses.ts'
import { fakeClock } from '../../helpers/clock.ts'

const everyRow = {
  limit: 100,
  marker: undefined,
  isDescending: false,
  sortBy: undefined,
  matches: undefined,
}

t.test('a part keeps its id, through beats and restarts', async t => {
  const clock = fakeClock()
  const part: ServicePart = { name: 'dns', problem: undefined, stats: {} }
  const open = () => new ServiceStatuses({ hostname: 'ns.example', clock, parts: () => [part] })
  const statuses = open()
  t.same(statuses.list('own', everyRow).rows, [], 'nothing is said before it has been asked')
  statuses.beat()
  const [first] = statuses.list('own', everyRow).rows
  t.match(first?.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  clock.advanceMillis(10_000)
  statuses.beat()
  const [second] = statuses.list('own', everyRow).rows
  t.match(second, { id: first?.id, createdAt: first?.createdAt, version: 2, status: 'UP' })
  t.equal(second?.heartbeatedAt, clock.nowMillis() * 1000)
  const restarted = open()
  restarted.beat()
  t.equal(restarted.list('own', everyRow).rows[0]?.id, first?.id)
})
