import t from 'tap'
import type { Endpoint } from '../../../src/model/masters.ts'
import { Diagnostics } from '../../../src/service/operations/diagnostics.ts'
import type { ServicePart } from '../../../src/service/operations/service-statuses.ts'
import type { ExternalTargetClient } from '../../../src/service/targets/external-target-client.ts'
import {
  StoreBusyError,
  StoreReadOnlyError,
  StoreUnavailableError,
} from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'

const first = { host: '192.0.2.1', port: 53 }
const second = { host: '192.0.2.2', port: 53 }

type Opening = { readonly silent?: readonly Endpoint[]; readonly storeProblem?: Error }

function open({ silent = [], storeProblem }: Opening = {}) {
  const asked: string[] = []
  const client: Pick<ExternalTargetClient, 'probe'> = {
    async probe(server) {
      asked.push(server.host)
      const isSilent = silent.some(({ host }) => host === server.host)
      return isSilent ? { kind: 'failed', reason: 'nothing listens there' } : { kind: 'absent' }
    },
  }
  const parts: ServicePart[] = [
    { name: 'dns', problem: undefined, stats: {}, listen: [first] },
    { name: 'dns of pool own', problem: undefined, stats: {}, listen: [second] },
    { name: 'store', problem: undefined, stats: {} },
    { name: 'jobs', problem: 'purge: broken', stats: {} },
  ]
  const memory = openMemoryStore({ clock: fakeClock() })
  let millis = 0
  const diagnostics = new Diagnostics({
    hostname: 'ns.example',
    parts: () => parts,
    client,
    store: {
      commit(change) {
        return storeProblem ? Promise.reject(storeProblem) : memory.commit(change)
      },
    },
    nowMillis: () => {
      millis += 250
      return millis
    },
  })
  return { diagnostics, asked }
}

t.test(
  'a part is well when it says so, its listeners answer and the store takes turns',
  async t => {
    const { diagnostics, asked } = open()
    t.same(await diagnostics.ping('dns', 'NS.example'), {
      host: 'ns.example',
      isWell: true,
      backend: { seconds: 0.25, problem: undefined },
      storage: { seconds: 0.25, problem: undefined },
      problem: undefined,
    })
    t.same(asked, ['192.0.2.1'], 'only its own listeners are asked')
  },
)

t.test('a pool’s own name server, and a part without one', async t => {
  const { diagnostics, asked } = open({ silent: [second] })
  const problem = 'nothing listens there'
  const pong = await diagnostics.ping('dns of pool own', 'ns.example')
  t.match(pong, { isWell: false, backend: { problem }, problem: undefined })
  t.same(asked.splice(0), ['192.0.2.2'])
  t.match(await diagnostics.ping('store', 'ns.example'), { isWell: false, backend: { problem } })
  t.same(asked, ['192.0.2.1', '192.0.2.2'], 'all are asked')
})

t.test('what a part says of itself counts', async t => {
  const { diagnostics } = open()
  const broken = { isWell: false, problem: 'purge: broken', backend: { problem: undefined } }
  t.match(await diagnostics.ping('jobs', 'ns.example'), broken)
  t.match(await diagnostics.ping('central', 'ns.example'), broken, 'central is all parts')
})

t.test('a store that takes no changes is not well', async t => {
  const problems = [
    new StoreReadOnlyError('the disk is full'),
    new StoreBusyError('too many changes wait'),
    new StoreUnavailableError('PostgreSQL does not answer'),
  ]
  for (const storeProblem of problems) {
    const { diagnostics } = open({ storeProblem })
    const storage = { problem: storeProblem.message }
    t.match(await diagnostics.ping('dns', 'ns.example'), { isWell: false, storage })
  }
})

t.test('a part or a host that there is not is not found', async t => {
  const { diagnostics } = open()
  await t.rejects(diagnostics.ping('mdns', 'ns.example'), refusal('not_found'))
  await t.rejects(diagnostics.ping('dns', 'other.example'), refusal('not_found'))
})
