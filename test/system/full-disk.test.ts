import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { Appliance } from '../helpers/appliance.ts'
import { queryAddresses } from '../helpers/query.ts'
import { fill, makeRoom, mounts, smallDisk } from '../helpers/small-disk.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'

// A disk that is really full, or really read-only: a file system of a few MiB of its own, where this machine lets
// us mount one.

function remount(directory: string, how: 'ro' | 'rw'): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,${how}`, directory])
  if (status !== 0) throw new Error(String(stderr))
}

/** Creates recordsets until one is refused; returns the names of the others. */
async function createUntilRefused(admin: ApiClient, zoneId: string): Promise<readonly string[]> {
  const records = [`"${'x'.repeat(250)}"`]
  const names: string[] = []
  for (;;) {
    const name = `h${names.length}.kept.example.`
    const body = { name, type: 'TXT', records }
    const { status } = await admin.post(`/v2/zones/${zoneId}/recordsets`, body)
    if (status === 503) return names
    if (status !== 201 || names.length > 1000) throw new Error(`${status} after ${names.length}`)
    names.push(name)
  }
}

async function createZone(admin: ApiClient, name: string): Promise<string> {
  const { status, body } = await admin.post('/v2/zones', { name, email: 'ops@example.net' })
  if (status !== 201) throw new Error(`${status} ${body?.message}`)
  const recordset = { name: `www.${name}`, type: 'A', records: ['192.0.2.1'] }
  await admin.post(`/v2/zones/${body.id}/recordsets`, recordset)
  return body.id
}

/** Checks that the server responds, serves its data and refuses changes. */
async function servesReadOnly(t: Test, server: WholeServer, reason: RegExp): Promise<void> {
  const { admin, anonymous, app } = server
  const refused = await admin.post('/v2/zones', { name: 'new.example.', email: 'a@example.net' })
  t.match(refused, { status: 503, body: { type: 'read_only', message: reason } })
  t.match(await admin.get('/v2/zones'), {
    status: 200,
    body: { zones: [{ name: 'kept.example.' }] },
  })
  t.same(await queryAddresses(app.dns[0]!, 'www.kept.example.'), ['192.0.2.1'])
  const ready = await anonymous.get('/readyz')
  t.match(ready, { status: 200, body: { read_only: true, read_only_reason: reason } })
}

/** Checks that it accepts changes again, without a restart. */
async function servesAgain(t: Test, { app, admin, anonymous }: WholeServer): Promise<void> {
  await app.runJob('resume-writing')
  t.match(await anonymous.get('/readyz'), { status: 200, body: { read_only: false } })
  await app.runJob('flush-usage')
  await createZone(admin, 'later.example.')
  t.same(await queryAddresses(app.dns[0]!, 'www.later.example.'), ['192.0.2.1'])
}

for (const what of ['full', 'read-only'] as const) {
  const [seize, release, reason] =
    what === 'full'
      ? [fill, makeRoom, /the disk is full/]
      : [(at: string) => remount(at, 'ro'), (at: string) => remount(at, 'rw'), /is read-only/]

  t.test(
    `a start on a ${what} disk serves what there is and goes on when it can`,
    { skip: !mounts && 'cannot mount' },
    async t => {
      const directory = smallDisk(t, 8)
      const environment = { ZONEWRIGHT_ADMIN_PASSWORD: 'first' }
      const first = await startWholeServer(t, { dataDirectory: directory, environment })
      await createZone(first.admin, 'kept.example.')
      await first.app.close()
      seize(directory)
      // The password differs, so there is something that the start has to write.
      const changed = { ZONEWRIGHT_ADMIN_PASSWORD: 'a-second-password' }
      const server = await startWholeServer(t, { dataDirectory: directory, environment: changed })
      t.match(await server.anonymous.get('/readyz'), { body: { read_only_reason: reason } })
      await servesReadOnly(t, server, reason)
      await server.app.runJob('resume-writing')
      await servesReadOnly(t, server, reason)
      release(directory)
      await servesAgain(t, server)
      const basic = Buffer.from('admin:a-second-password').toString('base64')
      const login = await server.anonymous
        .with({ authorization: `Basic ${basic}` })
        .get('/v2/zones')
      t.equal(login.status, 200, 'what the start could not write has been written')
      await server.app.close()
      const again = await startWholeServer(t, { dataDirectory: directory })
      t.equal((await again.admin.get('/v2/zones')).body.zones.length, 2)
      await again.app.close()
    },
  )
}

t.test(
  'a disk that becomes full refuses changes, loses none, and takes them again',
  { skip: !mounts && 'cannot mount' },
  async t => {
    const directory = smallDisk(t, 8)
    const server = await startWholeServer(t, { dataDirectory: directory })
    const zoneId = await createZone(server.admin, 'kept.example.')
    fill(directory)
    const acknowledged = await createUntilRefused(server.admin, zoneId)
    await server.app.runJob('flush-usage')
    await server.app.runJob('checkpoint')
    await servesReadOnly(t, server, /the disk is full/)
    t.notOk(readdirSync(directory).some(name => name.endsWith('.tmp')))
    makeRoom(directory)
    await servesAgain(t, server)
    await server.app.close()
    const again = await startWholeServer(t, { dataDirectory: directory })
    const found = await again.admin.get(`/v2/zones/${zoneId}/recordsets?type=TXT&limit=1000`)
    t.same(
      found.body.recordsets.map(({ name }: { name: string }) => name).sort(),
      [...acknowledged].sort(),
      'all that was acknowledged is there, and nothing that was refused',
    )
    await again.app.close()
  },
)

t.test(
  'a first start on a full disk is one line, for there is nothing to serve',
  { skip: !mounts && 'cannot mount' },
  async t => {
    const directory = smallDisk(t, 1)
    fill(directory)
    const failure = await Appliance.start({ dataDirectory: directory }).catch(String)
    t.match(failure, /ended with 69/)
    t.match(failure, /zonewright: .*the disk is full/)
    t.notMatch(failure, /\n\s+at /)
  },
)
