import t from 'tap'
import { DamageError, OtherFormatError, refuseDamage, setAside } from '../../src/durable/damage.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

t.test('damage names the file, the problem and a way out', t => {
  const error = new DamageError('/data/x', { problem: 'it is damaged at octet 7' })
  t.match(error, { file: '/data/x', problem: 'it is damaged at octet 7' })
  t.equal(
    error.message,
    '/data/x: it is damaged at octet 7. Restore the data directory from a backup, or give up what is damaged with the command: store repair',
  )
  t.end()
})

t.test('what can be repaired says how', t => {
  const problem = 'it is missing'
  t.throws(() => refuseDamage('/data')('/data/zones.json', problem), {
    file: '/data/zones.json',
    message: /or give up what is damaged with the command: store repair --data-dir \/data$/,
  })
  t.end()
})

t.test('files of another version are to be started with that one', t => {
  const error = new OtherFormatError('/data/manifest.json', { format: 9, known: '1' })
  t.match(error.message, /has format 9, this program reads format 1. Start the version that wrote/)
  t.end()
})

t.test('what is set aside is kept, once', async t => {
  const disk = new SimulatedDisk()
  await (await disk.create('/x')).close()
  await setAside(disk, '/x')
  await setAside(disk, '/x')
  t.same(disk.paths, ['/x.damaged'])
})
