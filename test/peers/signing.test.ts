import t, { type Test } from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { changeAtRandom, run, verifyTransferred } from '../helpers/signed-appliance.ts'
import { until } from '../helpers/until.ts'
import { delv, startUnbound } from '../helpers/validators.ts'

// A zone that is signed here: what is transferred is accepted by ldns-verify-zone, dnssec-verify, kzonecheck and
// named-checkzone after any changes, and unbound and delv validate every class of answer, also after a stop and a crash.

const apex = 'made.example.'
const environment = { ZONEWRIGHT_NAMESERVERS: 'ns1.example.net.', ZONEWRIGHT_KEY_SECRET: 'secret' }

type View = {
  status: string
  denial: string | null
  ds: string[]
  ds_from: string | null
  keys: { dnskey: string }[]
}

const questions = [
  ...['SOA', 'NS', 'DNSKEY', 'MX'].map(type => `${apex} ${type}`),
  ...['www A', 'www TXT', 'a.b.ent A', 'ent A', 'no A', 'x.ent A', 'q.wild TXT', 'q.wild A'],
  ...['*.wild TXT', 'alias TXT', 'out A', 'sec DS', 'ins DS', 'dn DNAME', 'q.dn TXT', 'zz TXT'],
].map(question => (question.startsWith(apex) ? question : question.replace(' ', `.${apex} `)))

const contents = [
  ['www', 'A', '192.0.2.1'],
  ['a.b.ent', 'A', '192.0.2.2'],
  ['*.wild', 'TXT', '"w"'],
  ['x.y.wild', 'A', '192.0.2.3'],
  ['alias', 'CNAME', `any.wild.${apex}`],
  ['out', 'CNAME', `nothere.${apex}`],
  ['sec', 'NS', `ns.sec.${apex}`],
  ['sec', 'DS', `1 13 2 ${'0'.repeat(63)}1`],
  ['ns.sec', 'A', '192.0.2.4'],
  ['ins', 'NS', `ns.ins.${apex}`],
  ['ns.ins', 'A', '192.0.2.5'],
  ['dn', 'DNAME', `wild.${apex}`],
] as const

async function openSigned(t: Test, policyId: string) {
  const folder = serverFolder(t)
  const server = await Appliance.start({ dataDirectory: folder, environment })
  const draft = {
    name: apex,
    email: 'ops@example.net',
    attributes: { allow_transfer: '127.0.0.1' },
  }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', draft)
  for (const [name, type, ...records] of contents) {
    const recordset = { name: `${name}.${apex}`, type, records }
    await server.json('POST', `/v2/zones/${id}/recordsets`, recordset)
  }
  const path = `/v2/zones/${id}/dnssec`
  t.equal((await server.json<View>('PUT', path, { policy_id: policyId })).status, 'SIGNING')
  const view = await until(
    () => server.json<View>('GET', path),
    ({ status }) => status === 'SIGNED',
  )
  return { folder, server, path, zone: `/v2/zones/${id}`, view }
}

function verify(t: Test, server: Appliance, when: string): void {
  verifyTransferred(t, server.endpoint(), { apex, when })
}

async function checkValid(t: Test, server: Appliance, { keys }: View): Promise<void> {
  const { host, port } = server.endpoint()
  const zone = { apex, keys: keys.map(({ dnskey }) => dnskey), server: { host, port } }
  const unbound = await startUnbound(zone)
  for (const question of questions) {
    const { rcode, isValid } = await unbound.ask(question)
    t.ok(isValid, `unbound: ${question} ${rcode}`)
  }
  await unbound.close()
  for (const [i, said] of (await delv(t.testdir(), zone, questions)).entries()) {
    t.match(said, /fully validated/, `delv: ${questions[i]}`)
  }
}

t.test('a zone is signed, validated, changed, started again and unsigned', async t => {
  const opened = await openSigned(t, 'default')
  const { folder, path, zone, view } = opened
  let { server } = opened
  t.teardown(() => server.kill())
  await checkValid(t, server, view)
  verify(t, server, 'at first')
  const dice = new Dice(1)
  for (let round = 0; round < 40 * depth; round += 1) {
    await changeAtRandom(server, { path: zone, apex, dice })
    verify(t, server, `after ${round + 1} changes`)
  }
  await server.stop()
  server = await Appliance.start({ dataDirectory: folder, environment })
  verify(t, server, 'after a stop')
  await checkValid(t, server, view)
  await server.kill()
  server = await Appliance.start({ dataDirectory: folder, environment })
  verify(t, server, 'after a crash')
  await checkValid(t, server, view)
  const unsigned = await server.request('DELETE', path)
  t.equal(unsigned.status, 204, 'no DS was asked for')
  t.match(await server.json('GET', path), { status: 'UNSIGNED', ds: [], keys: [] })
  const { host, port } = server.endpoint()
  const asked = run(folder, 'dig', `@${host}`, '-p', `${port}`, apex, 'SOA', '+dnssec', '+short')
  t.equal(asked.trim().split('\n').length, 1, 'no RRSIG')
})

// With opt-out validators take what is denied for insecure (RFC 5155 section 9.2).
t.test('with NSEC3 it is validated as well; with opt-out zones are whole', async t => {
  const opened = await openSigned(t, 'nsec3')
  const { folder, path, zone, view } = opened
  let { server } = opened
  t.teardown(() => server.kill())
  const { host, port } = server.endpoint()
  const denialOf = () =>
    run(folder, 'dig', `@${host}`, '-p', `${port}`, apex, 'NSEC3PARAM', '+short').trim()
  t.equal(denialOf(), '1 0 0 -')
  await checkValid(t, server, view)
  const dice = new Dice(2)
  for (let round = 0; round < 10 * depth; round += 1) {
    await changeAtRandom(server, { path: zone, apex, dice })
    verify(t, server, `after ${round + 1} changes`)
  }
  await server.kill()
  server = await Appliance.start({ dataDirectory: folder, environment })
  verify(t, server, 'after a crash')
  await checkValid(t, server, view)

  const policy = { name: 'opt-out', keys: 'CSK', denial: 'NSEC3_OPT_OUT' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/dnssec_policies', policy)
  await server.json('PUT', path, { policy_id: id })
  await until(
    () => server.json<View>('GET', path),
    ({ denial }) => denial === 'NSEC3_OPT_OUT',
  )
  for (let round = 0; round < 10 * depth; round += 1) {
    await changeAtRandom(server, { path: zone, apex, dice })
    verify(t, server, `with opt-out, after ${round + 1} changes`)
  }
})
