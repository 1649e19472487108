import t from 'tap'
import { History } from '../../../src/service/history/history.ts'
import type { PastCommit, Store } from '../../../src/store/store.ts'
import { callerOf } from '../../helpers/dns.ts'

t.test('a search of all changes reads 2,000 commits, and goes on in the next page', async t => {
  const readLsns = new Set<number>()
  const store = {
    lastLsn: 5000,
    async *history(afterLsn: number) {
      for (let lsn = afterLsn + 1; lsn <= 5000; lsn += 1) {
        readLsns.add(lsn)
        yield { lsn, atMicros: lsn, changes: [] } as unknown as PastCommit
      }
    },
  }
  const history = new History({ store: store as unknown as Store } as never)
  const page = await history.pageOfAll(callerOf('one', 'admin'), {
    ...{ limit: 10, beforeLsn: undefined, beginMicros: 0, endMicros: Infinity },
    matchesActor: () => false,
    matchesName: undefined,
  })
  t.same(page, { entries: [], nextLsn: 3001 })
  t.equal(Math.min(...readLsns), 3001)
})
