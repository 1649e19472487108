import t from 'tap'
import { Cookies } from '../../src/nameserver/cookies.ts'

const secret = Buffer.from('e5e973e5a6b2a43f48e7dc849e37bfcf', 'hex')
const address = Uint8Array.of(198, 51, 100, 100)
const sentAt = 1_559_731_985
const clientCookie = '2464c4abcf10c957'
const firstCookie = '2464c4abcf10c957010000005cf79f111f8130c3eee29480'

function judge(
  cookie: string,
  { secrets = [secret], client = address, unixSeconds = sentAt } = {},
): { isOwn: boolean; octets: string } {
  const cookies = new Cookies(secrets)
  const octets = Buffer.from(`ffff${cookie}`, 'hex')
  const request = { octets, cookieAt: 2, cookieLength: octets.length - 2 }
  const isOwn = cookies.judge(request, client, client.length, unixSeconds)
  return { isOwn, octets: Buffer.from(cookies.octets).toString('hex') }
}

t.test('A.1 a client that learns its first cookie', async t => {
  t.same(judge(clientCookie), { isOwn: false, octets: firstCookie })
})

t.test('A.2 the same client learns a new one when its own is older than half an hour', async t => {
  const unixSeconds = sentAt + 2400
  const { isOwn, octets } = judge(firstCookie, { unixSeconds })
  t.equal(isOwn, true)
  t.equal(octets.slice(0, 32), `${clientCookie}01000000${unixSeconds.toString(16)}`)
  t.not(octets, firstCookie)
})

t.test('4.3 a fresh cookie is sent back as it is; none is taken after an hour', async t => {
  const rows = [
    [-301, false],
    [-300, true],
    [1800, true],
    [3600, true],
    [3601, false],
  ] as const
  for (const [age, isOwn] of rows) {
    const judged = judge(firstCookie, { unixSeconds: sentAt + age })
    t.equal(judged.isOwn, isOwn, `${age} s`)
    t.equal(judged.octets === firstCookie, isOwn && age <= 1800, `${age} s`)
  }
})

t.test('A.4 an IPv6 client, and a secret that is replaced', async t => {
  const client = Buffer.from('20010db80220000159ded0f4876982b8', 'hex')
  const old = Buffer.from('dd3bdf9344b678b185a6f5cb60fca715', 'hex')
  const next = Buffer.from('445536bcd2513298075a5d379663c962', 'hex')
  const cookie = '22681ab97d52c298010000005cf7c57926556bd0934c72f8'
  const unixSeconds = 1_559_741_961
  t.same(judge(cookie, { secrets: [next, old], client, unixSeconds }), {
    isOwn: true,
    octets: '22681ab97d52c298010000005cf7c609a6bb79d16625507a',
  })
})

t.test(
  'a cookie of another address, another secret, another version or length is none',
  async t => {
    t.equal(judge(firstCookie).isOwn, true)
    t.equal(judge(firstCookie, { client: Uint8Array.of(198, 51, 100, 101) }).isOwn, false)
    t.equal(judge(firstCookie, { secrets: [Buffer.alloc(16)] }).isOwn, false)
    t.equal(judge(firstCookie.replace('5701', '5702')).isOwn, false)
    t.equal(judge(`${firstCookie}00`).isOwn, false)
  },
)
