import t from 'tap'
import { tsigErrors } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { signed, TsigSigner } from '../../src/dns/tsig-signer.ts'
import { findTsig, TsigAnswers } from '../../src/dns/tsig-verifier.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { queryFor } from '../helpers/ask.ts'
import { tsigRecord, withAdditionals } from '../helpers/tsig.ts'
import { signedRequest, someKey, unixSeconds } from '../helpers/tsig-client.ts'

const key = someKey()
const noOctets = new Uint8Array()
const signing = { nowSeconds: unixSeconds }

/** The signer of a server, and the verifier of its client. */
function stream() {
  const { signer } = signedRequest(queryFor('example. AXFR'))
  const server = new TsigSigner(key, hmac, signer.mac)
  return { server, answers: new TsigAnswers(key, hmac, signer.mac) }
}

const message = (id: number) => queryFor('example. AXFR', { id })

t.test(
  'a stream: all messages signed, or some between those that are (RFC 8945 5.3.1)',
  async t => {
    for (const isSigned of [() => true, (i: number) => i === 0 || i % 99 === 0]) {
      const { server, answers } = stream()
      let unsignedMessages: Uint8Array[] = []
      for (let i = 0; i <= 198; i += 1) {
        if (isSigned(i)) {
          const record = server.sign(
            new Uint8Array(Buffer.concat([...unsignedMessages, message(i)])),
            signing,
          )
          unsignedMessages = []
          const octets = new Uint8Array([...message(i), ...record])
          octets[11] = 1
          // The id of a TSIG is that of its own message; the first one is the only one that was signed alone.
          if (!isSigned(1)) fixOriginalId(octets, i)
          answers.take(octets, unixSeconds)
          t.ok(answers.isVerified)
        } else {
          unsignedMessages.push(message(i))
          answers.take(message(i), unixSeconds)
          t.notOk(answers.isVerified)
        }
      }
    }
  },
)

/** Does not matter to the MAC of a later message. */
function fixOriginalId(octets: Uint8Array, id: number): void {
  octets.set([id >>> 8, id & 0xff], octets.length - 6)
}

t.test(
  'what is left out, doubled, exchanged, unsigned at first or for too long is noticed',
  async t => {
    const messages = () => {
      const { server, answers } = stream()
      return { answers, signed: [1, 2, 3].map(id => signed(message(id), server, signing)) }
    }
    for (const order of [[1], [0, 2], [0, 0], [0, 1, 1], [1, 0]]) {
      const { answers, signed } = messages()
      const take = () => {
        for (const i of order) answers.take(signed[i] as Uint8Array, unixSeconds)
      }
      t.throws(take, { name: 'FormatError' }, order.join())
    }
    t.throws(() => stream().answers.take(message(1), unixSeconds), /has none, and says NOERROR/)
    const { answers, signed: all } = messages()
    answers.take(all[0] as Uint8Array, unixSeconds)
    for (let i = 0; i < 99; i += 1) answers.take(message(i), unixSeconds)
    t.throws(() => answers.take(message(99), unixSeconds), /99/)
  },
)

t.test('another key, another time', async t => {
  const { answers, server } = stream()
  const octets = signed(message(1), server, signing)
  t.throws(() => answers.take(octets, unixSeconds + 301), /differ by 301 s \(BADTIME/)
  const other = new TsigAnswers(someKey({ secret: Uint8Array.of(1) }), hmac, new Uint8Array(32))
  t.throws(() => other.take(octets, unixSeconds), /BADSIG/)
})

t.test('a rejected request: what is wrong with which key', async t => {
  const own = someKey({ name: parseName('my-key.') })
  const u48 = new Uint8Array(6)
  new DataView(u48.buffer).setUint32(2, unixSeconds - 4000)
  for (const [error, otherData, said] of [
    ['badKey', noOctets, /does not have our TSIG key my-key\. of hmac-sha256\. \(BADKEY\)/],
    ['badSig', noOctets, /another secret for our TSIG key my-key\. of hmac-sha256\. \(BADSIG\)/],
    ['badTime', u48, /clocks of .* differ by 4000 s \(BADTIME\)/],
    ['badTime', noOctets, /clocks of .* differ \(BADTIME\)/],
    ['badTrunc', noOctets, /rejects our TSIG key my-key\. .* 22/],
  ] as const) {
    const facts = { keyName: own.name, error: tsigErrors[error], otherData, mac: noOctets }
    const octets = withAdditionals(message(1), tsigRecord(facts))
    t.throws(() => new TsigAnswers(own, hmac, noOctets).take(octets, unixSeconds), said, error)
  }
})

t.test('a message without additional records has no TSIG; a broken one is none', async t => {
  t.equal(findTsig(message(1)), undefined)
  t.throws(() => findTsig(new Uint8Array(11)), { name: 'FormatError' })
})
