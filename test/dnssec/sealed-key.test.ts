import t from 'tap'
import { KeySealing } from '../../src/dnssec/sealed-key.ts'

const key = Buffer.from('a private key')

t.test('a sealed key opens with its secret, for what it belongs to', async t => {
  const text = new KeySealing('secret').seal(key, 'zone key')
  t.same(new KeySealing('secret').open(text, 'zone key'), key)
  const refusal = { message: /another ZONEWRIGHT_KEY_SECRET/ }
  t.throws(() => new KeySealing('other').open(text, 'zone key'), refusal)
  t.throws(() => new KeySealing('secret').open(text, 'another key'), refusal)
  t.throws(() => new KeySealing(undefined).open(text, 'zone key'), { message: /is not set/ })
})

t.test('a sealed key that is cut, wherever, is refused in the same way', async t => {
  const sealing = new KeySealing('secret')
  const text = sealing.seal(key, 'zone key')
  for (let length = 'aes-256-gcm:'.length; length < text.length - 4; length += 1)
    t.throws(
      () => sealing.open(text.slice(0, length), 'zone key'),
      { message: /another ZONEWRIGHT_KEY_SECRET/ },
      `${length} characters`,
    )
})
