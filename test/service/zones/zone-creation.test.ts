import t from 'tap'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'

t.test('others have their turn while a zone is created with many recordsets', async t => {
  const dns = await openDns()
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns = new Set<number>()
  const drafts = Array.from({ length: 2000 }, (_, i) => ({
    get name() {
      turns.add(turn)
      return `h${i}.example.com.`
    },
    ...{ type: 'A', ttlSeconds: null, description: null, records: ['192.0.2.1'] },
  }))
  const zone = await dns.zoneCreation.create(callerOf('one'), primary('example.com.'), drafts)
  isOver = true
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 2002)
  t.ok(turns.size > 1, `${turns.size} turns`)
})
