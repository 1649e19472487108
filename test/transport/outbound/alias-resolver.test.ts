import t from 'tap'
import { classes, types } from '../../../src/dns/codes.ts'
import { aliasResolver } from '../../../src/transport/outbound/alias-resolver.ts'
import { replyTo, serverSaying } from '../../helpers/saying-server.ts'

t.test('the TTL of the answer; one with the top bit set is zero (RFC 2181 8)', async t => {
  const rdata = Uint8Array.of(192, 0, 2, 1)
  for (const [sent, ttlSeconds] of [
    [0, 0],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 0],
    [2 ** 32 - 1, 0],
  ] as const) {
    const { server } = await serverSaying(t, request => {
      const answers = request.questions.map(({ name }) => {
        return { owner: name, type: types.A, class: classes.in, ttlSeconds: sent, rdata }
      })
      return [replyTo(request, { answers })]
    })
    const resolve = aliasResolver([`${server.host}:${server.port}`])
    t.same(await resolve('a.example.', 'A'), { addresses: ['192.0.2.1'], ttlSeconds })
  }
})
