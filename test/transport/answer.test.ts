import t from 'tap'
import type { Transport } from '../../src/nameserver/request.ts'
import { answerFrom } from '../../src/transport/answer.ts'
import { failing, notifying, openResponder, silent, updating } from '../helpers/echo-responder.ts'
import { messageOf } from '../helpers/message-of.ts'

const buffer = new Uint8Array(0xffff)

t.test('each request is a batch of its own, also one that fails', async t => {
  const answer = answerFrom(openResponder('>'))
  const ask = (text: string) => {
    const response = messageOf(answer(Buffer.from(text), 'tcp', buffer, '192.0.2.1'))
    return response && Buffer.from(response).toString()
  }
  t.equal(ask('a'), '>a')
  t.throws(() => ask(failing), /told to fail/)
  t.equal(ask(silent), undefined)
  t.equal(ask('b'), '>b')
  t.equal(ask(`${notifying}example.`), `>${notifying}example.`, 'nobody needs to listen')
})

t.test(
  'requests that came together are one batch, answered in order, each for its client',
  async t => {
    const told: unknown[] = []
    const responder = openResponder('>')
    const answer = answerFrom(responder, notice => told.push(notice))
    const requests = ['a', silent, `${notifying}example.`, 'b', 'not answered'].map(text =>
      Buffer.from(text),
    )
    const ask = (i: number) => {
      const response = messageOf(answer(requests[i]!, 'tcp', buffer, `192.0.2.${i}`))
      return response && Buffer.from(response).toString()
    }
    for (let round = 0; round < 2; round += 1) {
      answer.together?.begin(requests, requests.length, 'tcp')
      t.strictSame([0, 1, 2, 3].map(ask), ['>a', undefined, `>${notifying}example.`, '>b'])
      answer.together?.end()
      t.equal(ask(0), '>a', 'afterwards each is one of its own')
    }
    t.strictSame(told, [{ zone: 'example.', address: '192.0.2.2' }])
  },
)

t.test('a NOTIFY is reported with the address of its request', async t => {
  const told: unknown[] = []
  const answer = answerFrom(openResponder(''), notice => told.push(notice))
  answer(Buffer.from('a query'), 'udp', buffer, '192.0.2.1')
  answer(Buffer.from(`${notifying}example.`), 'udp', buffer, '192.0.2.2')
  answer(Buffer.from(`${notifying}example.`), 'tcp', buffer, '2001:db8::1')
  t.strictSame(told, [
    { zone: 'example.', address: '192.0.2.2' },
    { zone: 'example.', address: '2001:db8::1' },
  ])
})

t.test('unsigned updates are handed on: all over TCP, 200 per second over UDP', async t => {
  const handed: Transport[] = []
  const answer = answerFrom(openResponder(''), undefined, ({ transport }) => handed.push(transport))
  const echoed: Transport[] = []
  for (const transport of ['tcp', 'udp'] as const)
    for (let i = 0; i < 1000; i += 1) {
      const later = () => () => undefined
      const response = answer(Buffer.from(updating), transport, buffer, '192.0.2.1', later)
      if (response !== undefined) echoed.push(transport)
    }
  t.strictSame(echoed, [], 'a client repeats what is not handed on')
  t.equal(handed.filter(transport => transport === 'tcp').length, 1000)
  t.ok(handed.filter(transport => transport === 'udp').length < 1000)
})
