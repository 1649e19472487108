import t from 'tap'
import { newTransferKey } from '../../src/model/zone-transfer-request.ts'

t.test('a key is eight characters, each drawn from all of A-Z and 0-9', async t => {
  t.equal(
    newTransferKey(() => 0),
    'AAAAAAAA',
  )
  const seen = new Set<string>()
  for (let first = 0; first < 36; first += 1) {
    const draws = [first]
    const key = newTransferKey(end => {
      t.equal(end, 36)
      return draws.shift() ?? 35
    })
    t.match(key, /^[A-Z0-9]9{7}$/)
    seen.add(key)
  }
  t.equal(seen.size, 36)
})
