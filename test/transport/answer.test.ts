import t from 'tap'
import { answerFrom } from '../../src/transport/answer.ts'
import { failing, openResponder, silent } from '../helpers/echo-responder.ts'

const buffer = new Uint8Array(0xffff)

t.test('each request is a batch of its own, also one that fails', async t => {
  const answer = answerFrom(openResponder('>'))
  const ask = (text: string) => {
    const response = answer(Buffer.from(text), 'tcp', buffer)
    return response && Buffer.from(response).toString()
  }
  t.equal(ask('a'), '>a')
  t.throws(() => ask(failing), /told to fail/)
  t.equal(ask(silent), undefined)
  t.equal(ask('b'), '>b')
})
