import t from 'tap'
import { openResponder } from '../../../src/transport/threads/inside-thread.ts'
import { echoModule } from '../../helpers/threaded-listeners.ts'

t.test('a responder is opened by the module that is named, with the handle', async t => {
  const report = (error: unknown) => t.error(error)
  const responder = await openResponder({ module: echoModule, handle: 'hi ' }, report)
  const response = new Uint8Array(1232)
  responder.enter()
  responder.take(0, Buffer.from('you..'), 3, 'udp')
  const octets = responder.respond(0, response)
  responder.leave()
  t.equal(Buffer.from(response.subarray(0, octets)).toString(), 'hi you')
})

t.test('a module that opens none is refused', async t => {
  const source = { module: 'data:text/javascript,', handle: undefined }
  await t.rejects(
    openResponder(source, () => undefined),
    /openResponder/,
  )
})
