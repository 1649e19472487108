import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { Appliance } from '../helpers/appliance.ts'
import { queryUdp } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// One zone through both versions of the API. After each step v1, v2 and the answers on the wire agree.

type V1Record = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly data: string
  readonly ttl: number | null
}

type V2Recordset = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: readonly string[]
}

/** `id name ttl address`, the id as a short name. */
type Told = string

const www = 'www.walk.example.'
const web = 'web.walk.example.'

class Walk {
  readonly server: Appliance
  readonly zoneId: string
  /** Short names of ids. */
  readonly #ids: Map<string, string>
  #serial = 0

  constructor(server: Appliance, zoneId: string, ids = new Map<string, string>()) {
    this.server = server
    this.zoneId = zoneId
    this.#ids = ids
  }

  restarted(server: Appliance): Walk {
    return new Walk(server, this.zoneId, this.#ids)
  }

  async add(called: string, body: object): Promise<V1Record> {
    const path = `/v1/domains/${this.zoneId}/records`
    const record = await this.server.json<V1Record>('POST', path, body)
    this.#ids.set(record.id, called)
    return record
  }

  async put(called: string, body: object): Promise<V1Record> {
    return this.server.json<V1Record>('PUT', this.#pathOf(called), body)
  }

  async delete(called: string): Promise<number> {
    return (await this.server.request('DELETE', this.#pathOf(called))).status
  }

  /** Gives a short name to the one record that has none yet. */
  async name(called: string): Promise<void> {
    const unknown = (await this.#v1()).filter(({ id }) => !this.#ids.has(id))
    if (unknown.length !== 1) throw new Error(`${unknown.length} records are new`)
    for (const { id } of unknown) this.#ids.set(id, called)
  }

  async putRecordset(name: string, body: object): Promise<void> {
    const set = (await this.#v2()).find(row => row.name === name)
    await this.server.json('PUT', `/v2/zones/${this.zoneId}/recordsets/${set?.id}`, body)
  }

  /** Checks that v1, v2 and DNS have the same records, and a serial that advances. */
  async tell(t: Test, step: string, expected: readonly Told[]): Promise<void> {
    const v1 = await this.#v1()
    const told = v1.map(({ id, name, ttl, data }) => `${this.#ids.get(id)} ${name} ${ttl} ${data}`)
    t.same(told.sort(), [...expected].sort(), `${step}: v1`)
    const withoutIds = (rows: readonly string[]) => rows.map(row => row.replace(/^\S+ /, '')).sort()
    const v2 = (await this.#v2()).flatMap(({ name, ttl, records }) =>
      records.map(record => `- ${name} ${ttl} ${record}`),
    )
    t.same(withoutIds(v2), withoutIds(expected), `${step}: v2`)
    const answered = await Promise.all([www, web].map(name => this.#dns(name)))
    t.same(withoutIds(answered.flat()), withoutIds(expected), `${step}: DNS`)
    for (const { id } of v1) {
      const record = await this.server.json<V1Record>(
        'GET',
        `/v1/domains/${this.zoneId}/records/${id}`,
      )
      t.equal(record.id, id, `${step}: found by its id`)
    }
    await this.#checkSerial(t, step)
  }

  async #checkSerial(t: Test, step: string): Promise<void> {
    const domain = await this.server.json<{ serial: number }>('GET', `/v1/domains/${this.zoneId}`)
    const { answers } = await queryUdp(this.server.endpoint(), {
      name: 'walk.example.',
      type: types.SOA,
    })
    const [soa = ''] = answers.map(({ type, rdata }) => formatRdata(type, rdata))
    t.equal(Number(soa.split(' ')[2]), domain.serial, `${step}: serial`)
    t.ok(domain.serial > this.#serial, `${step}: the serial moves on`)
    this.#serial = domain.serial
  }

  async #v1(): Promise<readonly V1Record[]> {
    const path = `/v1/domains/${this.zoneId}/records`
    const { records } = await this.server.json<{ records: V1Record[] }>('GET', path)
    return records.filter(({ type }) => type === 'A')
  }

  async #v2(): Promise<readonly V2Recordset[]> {
    const path = `/v2/zones/${this.zoneId}/recordsets?type=A`
    return (await this.server.json<{ recordsets: V2Recordset[] }>('GET', path)).recordsets
  }

  async #dns(name: string): Promise<readonly Told[]> {
    const { answers } = await queryUdp(this.server.endpoint(), { name, type: types.A })
    return answers.map(
      ({ type, ttlSeconds, rdata }) => `- ${name} ${ttlSeconds} ${formatRdata(type, rdata)}`,
    )
  }

  #pathOf(called: string): string {
    const [id] = [...this.#ids].find(([, name]) => name === called) ?? []
    return `/v1/domains/${this.zoneId}/records/${id}`
  }
}

t.test('a zone through v1 and v2 by turns', async t => {
  const dataDirectory = serverFolder(t)
  const server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  const domain = await server.json<{ id: string }>('POST', '/domains', {
    name: 'walk.example.',
    email: 'ops@example.net',
  })
  const walk = new Walk(server, domain.id)

  const record = { name: www, type: 'A' }
  await walk.add('a', { ...record, data: '192.0.2.1', ttl: 300, description: 'first' })
  await walk.tell(t, 'added in v1', [`a ${www} 300 192.0.2.1`])

  await walk.add('b', { ...record, data: '192.0.2.2', ttl: 60 })
  await walk.tell(t, 'a sibling of another TTL keeps that of the first', [
    `a ${www} 300 192.0.2.1`,
    `b ${www} 300 192.0.2.2`,
  ])

  await walk.putRecordset(www, { records: ['192.0.2.2', '192.0.2.3'] })
  await walk.tell(t, 'one value edited in v2, and the order: ids go with the values', [
    `a ${www} 300 192.0.2.3`,
    `b ${www} 300 192.0.2.2`,
  ])

  await walk.putRecordset(www, { records: ['192.0.2.2', '192.0.2.4', '192.0.2.3'] })
  await walk.name('c')
  await walk.tell(t, 'a value added in v2', [
    `a ${www} 300 192.0.2.3`,
    `b ${www} 300 192.0.2.2`,
    `c ${www} 300 192.0.2.4`,
  ])

  await walk.put('b', { ttl: 90 })
  await walk.tell(t, 'a TTL changed in v1 is that of all siblings', [
    `a ${www} 90 192.0.2.3`,
    `b ${www} 90 192.0.2.2`,
    `c ${www} 90 192.0.2.4`,
  ])

  const renamed = await walk.put('b', { name: web })
  t.equal(renamed.name, web)
  await walk.put('b', { ttl: 30 })
  await walk.tell(t, 'renamed in v1, with a TTL of its own', [
    `a ${www} 90 192.0.2.3`,
    `b ${web} 30 192.0.2.2`,
    `c ${www} 90 192.0.2.4`,
  ])

  await walk.putRecordset(web, { records: ['192.0.2.5'] })
  t.equal(await server.stop(), 0)
  const second = await Appliance.start({ dataDirectory })
  t.teardown(() => second.kill())
  const after = walk.restarted(second)
  await after.tell(t, 'edited in v2, and after a restart', [
    `a ${www} 90 192.0.2.3`,
    `b ${web} 30 192.0.2.5`,
    `c ${www} 90 192.0.2.4`,
  ])

  const back = await after.put('b', { name: www })
  t.match(back, { ttl: 90, data: '192.0.2.5' })
  await after.tell(t, 'renamed back among its siblings', [
    `a ${www} 90 192.0.2.3`,
    `b ${www} 90 192.0.2.5`,
    `c ${www} 90 192.0.2.4`,
  ])

  t.equal(await after.delete('c'), 200)
  t.equal(await after.delete('b'), 200)
  await after.tell(t, 'all but one deleted in v1', [`a ${www} 90 192.0.2.3`])
  t.match(await after.put('a', { data: '192.0.2.6' }), { description: 'first' })

  t.equal(await after.delete('a'), 200)
  await after.tell(t, 'the last one deleted in v1', [])
  t.equal(await after.delete('a'), 404)
})
