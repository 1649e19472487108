import t from 'tap'
import { SipHash } from '../../src/nameserver/siphash.ts'
import { Dice } from '../helpers/dice.ts'
import { sipHash } from '../helpers/oracle/sip-hash.ts'

t.test('the vectors of the paper and its reference code', async t => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i)
  const rows = [
    [0, '310e0edd47db6f72'],
    [15, 'e545be4961ca29a1'],
    [63, '724506eb4c328a95'],
  ] as const
  for (const [length, wanted] of rows) {
    const message = Uint8Array.from({ length }, (_, i) => i)
    t.equal(hashed(key, message).toString('hex'), wanted, `${length} octets`)
    t.equal(sipHash(key, message).toString('hex'), wanted, `${length} octets, the oracle`)
  }
})

t.test('any key, any message: as in numbers of 64 bits', async t => {
  const dice = new Dice(1)
  const octets = (length: number) => Uint8Array.from({ length }, () => dice.below(256))
  for (let i = 0; i < 500; i += 1) {
    const key = octets(16)
    const message = octets(dice.below(40))
    t.same(hashed(key, message), sipHash(key, message))
  }
})

function hashed(key: Uint8Array, message: Uint8Array): Buffer {
  const into = Buffer.alloc(10)
  new SipHash(key).hash(message, message.length, into, 1)
  return into.subarray(1, 9)
}
