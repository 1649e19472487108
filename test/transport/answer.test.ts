import t from 'tap'
import { answerFrom } from '../../src/transport/answer.ts'
import { failing, notifying, openResponder, silent } from '../helpers/echo-responder.ts'
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
