import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { testZoneId, uuidOf } from '../helpers/store-rows.ts'

// Directories as earlier versions of the program left them behind, ended by a kill: documents, and behind them a
// journal that a start has to apply.

t.test('a store of format 1 has all it held, and is of format 2 from then on', async t => {
  const directory = join(t.testdir(), 'data')
  await cp(join(import.meta.dirname, 'kept', 'format-1'), directory, { recursive: true })
  const open = () => openLowdbStore({ directory, clock: fakeClock() })
  const store = await open()
  const rows = [...store.list('recordsets', 'byZone', testZoneId)]
  await store.close()
  t.strictSame(
    rows.map(({ name, type, ttlSeconds, records }) => [name, type, ttlSeconds, records]),
    [
      [
        'example.com.',
        'SOA',
        null,
        ['ns1.example.org. hostmaster.example.com. 1 3600 600 86400 3600'],
      ],
      ['example.com.', 'NS', 86_400, ['ns1.example.org.', 'NS2.Example.org.']],
      ['WWW.Example.com.', 'A', 60, ['192.0.2.2', '192.0.2.1']],
      ['host4.example.com.', 'AAAA', null, ['2001:db8::2']],
      ['host5.example.com.', 'TXT', null, ['v=spf1 mx -all', '"one" "two"', '"\\\\ \\" \\233"']],
      ['host6.example.com.', 'MX', null, ['10  mail.example.net.']],
      ['\\097\\.b.example.com.', 'A', null, ['192.0.2.8']],
      ['host9.example.com.', 'A', null, ['192.0.2.1']],
      ['host10.example.com.', 'A', null, []],
      ['host11.example.com.', 'A', null, ['192.0.2.11']],
    ],
  )
  t.match(rows[2], { id: uuidOf(3), description: 'caf\u00e9 \u0416', version: 1, updatedAt: null })
  t.match(rows[7], { shareId: uuidOf(900), recordMarks: { nextNumber: 2 } })
  t.match(await readFile(join(directory, 'manifest.json'), 'utf8'), /"format": 2/)
  const again = await open()
  t.strictSame([...again.list('recordsets', 'byZone', testZoneId)], rows)
  await again.close()
})
