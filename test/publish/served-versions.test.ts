import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { ServedVersions } from '../../src/publish/served-versions.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

function open() {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, 'example. 300 SOA ns host 7 7200 900 1209600 300')
  target.publish(zone)
  let publishing = 0
  const versions = new ServedVersions({
    table,
    isPublishing: () => {
      publishing -= 1
      return publishing >= 0
    },
  })
  const read = (...parties: string[]) => versions.read(zone, target, { zoneId: 'an-id', parties })
  const change = () =>
    zone.putRrset(parseName('www.example.'), {
      type: 16,
      ttlSeconds: 1,
      rdatas: [Uint8Array.of(0)],
    })
  return { read, change, zone, target, publish: (count: number) => (publishing = count) }
}

t.test('who asks before a change shares a version, and who asks after it does not', async t => {
  const { read, change } = open()
  const [one, other] = await Promise.all([read(), read()])
  t.equal(one.zone, other.zone)
  t.equal(one.zone.rrsetCount, 1)
  change()
  const newer = await read()
  t.equal(newer.zone.rrsetCount, 2)
  for (const version of [one, one, other, newer]) version.release()
  t.equal((await read()).zone.rrsetCount, 2)
})

t.test('a change that is served in part is waited for', async t => {
  const { read, publish } = open()
  publish(10)
  t.equal((await read()).zone.rrsetCount, 1)
})

t.test('versions are bounded, and those that are released make room', async t => {
  const { read, change } = open()
  const versions = []
  for (let i = 0; i < 32; i += 1) {
    versions.push(await read(`${i}`))
    change()
  }
  await t.rejects(read('another'), RangeError)
  versions[0]?.release()
  t.ok(await read('another'))
})

t.test('a few that read as much as they can leave room for others', async t => {
  const { read, change } = open()
  for (const name of ['one', 'two', 'three', 'four']) {
    for (;;) {
      const version = await read(`project ${name}`, `client ${name}`).catch(() => undefined)
      if (version === undefined) break
      change()
    }
    t.ok(await read(`after ${name}`))
    change()
  }
})

t.test('a project or a client that reads slowly leaves room for others', async t => {
  const { read, change } = open()
  const versions = []
  for (let i = 0; i < 16; i += 1) {
    versions.push(await read('project', 'client'))
    change()
  }
  await t.rejects(read('project', 'another client'), RangeError)
  await t.rejects(read('another project', 'client'), RangeError)
  t.ok(await read('another project', 'another client'))
  change()
  versions[0]?.release()
  t.ok(await read('project', 'client'))
})
