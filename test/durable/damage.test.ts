import t from 'tap'
import { DamageError, refuseDamage } from '../../src/durable/damage.ts'

t.test('damage names the file, the problem and a way out', t => {
  const error = new DamageError('/data/x', { problem: 'it is damaged at octet 7' })
  t.match(error, { file: '/data/x', problem: 'it is damaged at octet 7' })
  t.equal(
    error.message,
    '/data/x: it is damaged at octet 7. Restore the data directory from a backup',
  )
  t.end()
})

t.test('what can be repaired says how', t => {
  const problem = 'it is missing'
  t.throws(() => refuseDamage('/data')('/data/zones.json', problem), {
    file: '/data/zones.json',
    message: /or give up what is damaged with: npm start -- store repair --data-dir \/data$/,
  })
  t.end()
})
