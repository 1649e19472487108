import t from 'tap'
import { hmac } from '../../src/transport/hmac.ts'

t.test('the first test case of RFC 4231, in parts', async t => {
  const parts = ['Hi ', 'There'].map(text => new Uint8Array(Buffer.from(text)))
  t.equal(
    Buffer.from(hmac('sha256', new Uint8Array(20).fill(0x0b), parts)).toString('hex'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
})
