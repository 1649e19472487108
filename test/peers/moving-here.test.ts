import t, { type Test } from 'tap'
import { commandLine } from '../helpers/command-line.ts'
import { digZone } from '../helpers/dig-zone.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { type PeerName, peerNames } from '../helpers/peer-recipes.ts'
import { startPowerDnsApi } from '../helpers/powerdns-server.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Zones of the servers that people have, taken over by the commands of docs/moving.md.

const apex = 'moved.example.'
const zoneText = `$ORIGIN ${apex}
@ 900 IN SOA ns.old.example. ops.example.com. 2026112301 7200 600 864000 60
@ 900 IN NS ns.old.example.
@ 300 IN MX 10 mail
mail 300 IN A 192.0.2.25
www 300 IN CNAME mail
*.any 300 IN TXT "a text" "; and another"
sub 300 IN NS ns.sub
ns.sub 300 IN A 192.0.2.53
odd 300 IN TYPE65400 \\# 2 abcd
${Array.from({ length: 300 }, (_, i) => `host${i} 300 IN A 198.51.100.${i % 250}`).join('\n')}
`

/** The zone as a server transfers it, except for SOA and NS of its apex, which come from the pool. */
async function content(endpoint: { readonly host: string; readonly port: number }) {
  const lines = (await digZone(endpoint, apex)).split('\n')
  return lines.filter(line => !/^moved\.example\. \d+ in (?:soa|ns) /.test(line))
}

async function peerWith(t: Test, name: PeerName, text: string) {
  const isReady = async (peer: Parameters<typeof content>[0]) =>
    (await digZone(peer, apex).catch(() => '')).includes(' in soa ')
  return startPeer(t, { name, apex, zoneText: text }, isReady)
}

async function newServer(t: Test) {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const [endpoint] = server.app.dns
  if (endpoint === undefined) throw new Error('no name server')
  return { run: commandLine(server), endpoint }
}

for (const name of peerNames) {
  t.test(`a zone of ${name} is transferred, and goes on here`, async t => {
    const peer = await peerWith(t, name, zoneText)
    const { run, endpoint } = await newServer(t)
    const taken = await run(`import transfer ${peer.host}:${peer.port} moved.example`)
    t.match(taken, { exitCode: 0, printed: /^moved\.example +COMPLETE/, errors: '' })
    await run(`zone set moved.example --attribute allow_transfer=127.0.0.1`)
    t.same(await content(endpoint), await content(peer))
    t.match((await run('zone show moved.example')).printed, /^serial +2026112303$/m)
    await run('record set moved.example new A 192.0.2.99')
    t.equal((await content(endpoint)).length, (await content(peer)).length + 1)
  })
}

t.test('a zone follows its server until it is promoted', async t => {
  const peer = await peerWith(t, 'knot', zoneText)
  const { run } = await newServer(t)
  const from = `${peer.host}:${peer.port}`
  const taken = await run(`import transfer ${from} moved.example --follow`)
  t.match(taken.printed, /^moved\.example +COMPLETE +moved\.example\. follows /)
  t.match((await run('zone show moved.example')).printed, /^type +SECONDARY$/m)
  t.match((await run('zone promote moved.example')).printed, /^type +PRIMARY$/m)
})

t.test('a zone that is not given, or is signed there, is no zone here', async t => {
  const key =
    '@ 900 IN DNSKEY 257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==\n'
  const peer = await peerWith(t, 'nsd', zoneText + key)
  const { run } = await newServer(t)
  const { printed, errors } = await run(
    `import transfer ${peer.host}:${peer.port} moved.example other.example`,
  )
  t.match(printed, /^moved\.example +ERROR +The zone is signed by its master/m)
  t.match(printed, /^other\.example +ERROR/m)
  t.match(errors, /2 of 2 zones were not imported/)
  t.equal((await run('zone list')).printed, '')
})

t.test('all zones of PowerDNS come by its API', async t => {
  const { url, key } = await startPowerDnsApi(t)
  const names = Array.from({ length: 20 }, (_, i) => `z${i}.example.`)
  for (const name of names) {
    const rrsets = [
      { name: `www.${name}`, type: 'A', ttl: 60, records: [{ content: '192.0.2.7' }] },
    ]
    const made = await fetch(`${url}/api/v1/servers/localhost/zones`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ name, kind: 'Native', nameservers: ['ns.old.example.'], rrsets }),
    })
    t.equal(made.status, 201)
  }
  const { run } = await newServer(t)
  t.match((await run('project quota admin zones=-1')).printed, /^zones +-1$/m)
  const { printed, exitCode } = await run(`import powerdns ${url} --api-key ${key}`)
  t.equal(printed.match(/ COMPLETE /g)?.length, names.length)
  t.equal(exitCode, 0)
  t.match((await run('record list z7.example --type A')).printed, /192\.0\.2\.7/)
})

t.test('PowerDNS: signed zones are reported, and disabled records stay there', async t => {
  const { url, key } = await startPowerDnsApi(t)
  const zones = `${url}/api/v1/servers/localhost/zones`
  const post = async (at: string, body: object) => {
    const request = { method: 'POST', headers: { 'x-api-key': key }, body: JSON.stringify(body) }
    t.equal((await fetch(at, request)).status, 201)
  }
  const make = (name: string, recordsOf: Readonly<Record<string, readonly object[]>>) => {
    const rrsets = Object.entries(recordsOf).map(([type, records]) => ({
      name,
      type,
      ttl: 3600,
      records,
    }))
    return post(zones, { name, kind: 'Native', nameservers: ['ns.old.example.'], rrsets })
  }
  const disabled = { content: '192.0.2.2', disabled: true }
  const address = { content: '192.0.2.1' }
  await make('signed.example.', { A: [address] })
  await make('unsigned.example.', {
    A: [address, disabled],
    TXT: [{ ...disabled, content: '"x"' }],
    SPF: [{ content: `"${'k'.repeat(300)}"` }],
    URI: [{ content: `10 1 "https://example.net/${'p'.repeat(300)}"` }],
  })
  const octets = `${'A'.repeat(86)}==`
  const signature = `SOA 13 2 3600 20400101000000 20200101000000 1 presigned.example. ${octets}`
  await make('presigned.example.', {
    DNSKEY: [{ content: `257 3 13 ${octets}` }],
    RRSIG: [{ content: signature }],
  })
  for (const [name, active] of Object.entries({ signed: true, unsigned: false }))
    await post(`${zones}/${name}.example./cryptokeys`, { keytype: 'csk', active })
  const { run } = await newServer(t)
  for (const option of [' --dry-run', '']) {
    const { printed } = await run(`import powerdns ${url} --api-key ${key}${option}`)
    t.match(printed, /^signed\.example\. +COMPLETE .*; WARNING: it was signed by PowerDNS, /m)
    t.match(printed, /^presigned\.example\. .*; WARNING: its file has signatures, /m)
    t.notMatch(printed, /^unsigned\.example\. .*WARNING/m)
  }
  const { printed } = await run('record list unsigned.example')
  t.match(printed, /192\.0\.2\.1\n/)
  t.match(printed, /"k{255}" "k{45}"/, 'a text that was in one piece is split')
  t.match(printed, /p{300}"/, 'and no other string')
  t.notMatch(printed, /192\.0\.2\.2|TXT/)
})
