import t from 'tap'
import type { TargetReport } from '../../../src/model/zone-state.ts'
import { poolTargets } from '../../../src/service/targets/pool-targets.ts'
import { recordsetRow, zoneRow } from '../../helpers/store-rows.ts'

const own: TargetReport = { target: 'this server', serial: 5, problem: undefined }
const elsewhere: TargetReport = { target: '192.0.2.1:53', serial: 4, problem: 'behind' }

function targetsWith(listenProblem: string | undefined, served: TargetReport = own) {
  return poolTargets({
    inProcess: { reportsOf: () => [served], problemOf: ({ name }) => `${name} is odd` },
    servers: { problemOf: () => listenProblem },
    externalTargets: { reportsOf: () => [elsewhere] },
    aliases: { problemOf: () => 'its target has no address' },
  })
}

t.test('all servers behind a pool are asked, here and elsewhere', async t => {
  t.same(targetsWith(undefined).reportsOf(zoneRow()), [own, elsewhere])
  t.equal(targetsWith(undefined).problemOf(recordsetRow()), 'www.example.com. is odd')
})

t.test(
  'an ALIAS says what is wrong with its target, unless it cannot be served itself',
  async t => {
    const targets = poolTargets({
      inProcess: { reportsOf: () => [own], problemOf: () => undefined },
      servers: { problemOf: () => undefined },
      externalTargets: { reportsOf: () => [] },
      aliases: { problemOf: () => 'its target has no address' },
    })
    t.equal(targets.problemOf(recordsetRow()), 'its target has no address')
  },
)

t.test('a server that cannot be reached says so, unless something is worse', async t => {
  const [report] = targetsWith('cannot listen').reportsOf(zoneRow())
  t.same(report, { ...own, problem: 'cannot listen' })
  const broken = { ...own, problem: 'a record is left out' }
  t.same(targetsWith('cannot listen', broken).reportsOf(zoneRow())[0], broken)
})
