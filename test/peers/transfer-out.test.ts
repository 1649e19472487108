import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance } from '../helpers/appliance.ts'
import { peerNames } from '../helpers/peer-primary.ts'
import { startSecondary } from '../helpers/peer-secondary.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// The servers people run as secondaries: they ask for a zone of ours with a TSIG key, are notified of each change, signed with it too, and
// have in the end what we have.

const run = promisify(execFile)
const lookEveryMs = 100
const changeCount = 100
const key = { name: 'secondaries', secret: Buffer.alloc(32, 9).toString('base64') }

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
const primary = server.endpoint()
const { name, secret } = key
const pool = { scope: 'POOL', resource_id: defaultPoolId }
await server.json('POST', '/v2/tsigkeys', { name, secret, algorithm: 'hmac-sha256', ...pool })

/** All records of a zone but the SOA at the end, as dig prints them, in lower case. */
async function axfr(port: number, apex: string, words: readonly string[] = []): Promise<string> {
  const at = [`@127.0.0.1`, '-p', `${port}`, ...words]
  const { stdout } = await run('dig', [...at, '+noall', '+answer', '+onesoa', apex, 'AXFR'])
  const lines = stdout.toLowerCase().split('\n')
  return lines
    .map(line => line.split(/\s+/).join(' '))
    .filter(line => /^[^;].* in /.test(line))
    .toSorted()
    .join('\n')
}

const signed = ['-y', `hmac-sha256:${name}:${secret}`]

for (const peerName of peerNames) {
  t.test(`${peerName} gets a zone, follows its changes and has the same in the end`, async t => {
    const apex = `${peerName}.example.`
    const { id } = await server.json<{ id: string }>('POST', '/v2/zones', {
      name: apex,
      email: 'ops@example.com',
    })
    await server.json('PATCH', `/v2/pools/${defaultPoolId}`, {
      attributes: { allow_transfer: `key:${name}` },
    })
    const sets = `/v2/zones/${id}/recordsets`
    await server.json('POST', sets, {
      name: '*.wild',
      type: 'MX',
      records: ['10 mail.other.example.'],
    })
    await server.json('POST', sets, { name: 'text', type: 'TXT', records: ['"a;b"', '"\\"c\\""'] })
    const isServed = async (port: number) =>
      (await axfr(port, apex).catch(() => '')).includes('wild')
    const peer = await startSecondary({ name: peerName, apex, primary, key }, isServed)
    t.teardown(() => peer.close())
    await server.json('PATCH', `/v2/pools/${defaultPoolId}`, {
      attributes: {
        allow_transfer: `key:${name}`,
        also_notify: `127.0.0.1:${peer.port} key:${name}`,
      },
    })
    for (let i = 0; i < changeCount; i += 1) {
      const changed = `n${i % 20}`
      if (i < 20) {
        await server.json('POST', sets, { name: changed, type: 'A', records: [`192.0.2.${i}`] })
      } else {
        await server.json('POST', sets, {
          name: `m${i}`,
          type: 'AAAA',
          records: [`2001:db8::${i}`],
        })
      }
    }
    for (const { id: gone } of (
      await server.json<{ recordsets: { id: string }[] }>('GET', `${sets}?name=m5*`)
    ).recordsets) {
      await server.json('DELETE', `${sets}/${gone}`)
    }
    const expected = await axfr(primary.port, apex, signed)
    for (;;) {
      if ((await axfr(peer.port, apex).catch(() => '')) === expected) break
      await delay(lookEveryMs)
    }
    t.match(expected, /m99/)
    t.notMatch(expected, /m55/)
  })
}
