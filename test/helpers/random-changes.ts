import type { ApiClient } from './api-client.ts'
import { Dice } from './dice.ts'
import { TcpClient } from './tcp-client.ts'
import { until } from './until.ts'
import { updateMessage } from './update-message.ts'
import type { WholeServer } from './whole-server.ts'

/** A zone as its listing shows it, but for the serial: a record a line, without TTL where it is the zone's. */
export type ZonePicture = {
  readonly serial: number
  readonly description: string
  readonly attributes: Readonly<Record<string, string>>
  readonly lines: readonly string[]
}

type Listed = { name: string; type: string; ttl: number | null; records: string[]; id: string }

type Address = Parameters<typeof TcpClient.connect>[0]

const names = Array.from({ length: 25 }, (_, i) => `n${i}`)

/** Random changes of one zone by several users and through all interfaces. */
export class RandomChanges {
  readonly #dice: Dice
  readonly #users: readonly ApiClient[]
  readonly #dns: Address
  readonly #zone: { readonly id: string; readonly name: string }
  #count = 0

  private constructor(parts: {
    readonly seed: number
    readonly users: readonly ApiClient[]
    readonly dns: Address
    readonly zone: { readonly id: string; readonly name: string }
  }) {
    this.#dice = new Dice(parts.seed)
    this.#users = parts.users
    this.#dns = parts.dns
    this.#zone = parts.zone
  }

  /** Makes a zone for them, that is updated from this machine. */
  static async begin(server: WholeServer, users: readonly ApiClient[], seed: number) {
    const [first] = users
    const [address] = server.app.dns
    if (first === undefined || address === undefined) throw new Error('nobody, or nowhere')
    const { body: zone } = await first.post('/v2/zones', {
      name: 'club.example.',
      email: 'a@example.net',
      ttl: 300,
    })
    const rules = [{ addresses: ['127.0.0.0/8'], match: 'zone' }]
    await first.put(`/v2/zones/${zone.id}/update_policy`, { rules })
    return { zone, changes: new RandomChanges({ seed, users, dns: address, zone }) }
  }

  /** Makes one; it may be refused. */
  async make(): Promise<void> {
    this.#count += 1
    const user = this.#dice.pick(this.#users)
    const roads = [
      () => this.#createOrChange(user),
      () => this.#createOrChange(user),
      () => this.#delete(user),
      () => this.#changeSet(user),
      () => this.#older(user),
      () => this.#powerDns(user),
      () => this.#update(),
      () => this.#changeZone(user),
    ]
    if (this.#count % 50 === 0) await this.#import(user)
    else await this.#dice.pick(roads)()
  }

  /** What the zone is now. */
  async picture(): Promise<ZonePicture> {
    const [user] = this.#users as [ApiClient]
    const { body } = await user.get(`/v2/zones/${this.#zone.id}`)
    const lines = (await this.#listed(user)).flatMap(({ name, type, ttl, records }) =>
      records.map(record => `${name} ${ttl ?? ''} IN ${type} ${serialLess(type, record)}`),
    )
    const description = body.description ?? ''
    const { serial, attributes } = body
    return { serial, description, attributes, lines: [`$TTL ${body.ttl}`, ...lines].sort() }
  }

  async #listed(user: ApiClient): Promise<readonly Listed[]> {
    return (await user.get(`/v2/zones/${this.#zone.id}/recordsets?limit=max`)).body.recordsets
  }

  #name(): string {
    return `${this.#dice.pick(names)}.${this.#zone.name}`
  }

  #address(): string {
    return `192.0.2.${this.#dice.below(250)}`
  }

  #records(): { type: string; records: string[] } {
    const text = `"text ${this.#dice.below(1000)}"`
    return this.#dice.pick([
      { type: 'A', records: [...new Set([this.#address(), this.#address()])] },
      { type: 'TXT', records: [text] },
      { type: 'MX', records: [`${this.#dice.below(50)} mail.example.net.`] },
    ])
  }

  async #createOrChange(user: ApiClient): Promise<void> {
    const row = this.#dice.pick(await this.#listed(user))
    const ttl = this.#dice.pick([null, 60, 600])
    const path = `/v2/zones/${this.#zone.id}/recordsets`
    const { type, records } = this.#records()
    if (row.type === type) await user.put(`${path}/${row.id}`, { ttl, records })
    else await user.post(path, { name: this.#name(), type, ttl, records })
  }

  async #delete(user: ApiClient): Promise<void> {
    const row = this.#dice.pick(await this.#listed(user))
    await user.delete(`/v2/zones/${this.#zone.id}/recordsets/${row.id}`)
  }

  async #changeSet(user: ApiClient): Promise<void> {
    const own = (await this.#listed(user)).filter(({ type }) => type === 'A')
    const create = [{ name: this.#name(), ...this.#records() }]
    const [first, second] = own
    await user.post(`/v2/zones/${this.#zone.id}/changes`, {
      create: this.#dice.below(2) === 0 ? create : [],
      replace: first === undefined ? [] : [{ id: first.id, records: [this.#address()] }],
      delete: second === undefined ? [] : [{ id: second.id }],
    })
  }

  async #older(user: ApiClient): Promise<void> {
    const path = `/v1/domains/${this.#zone.id}/records`
    if (this.#dice.below(3) > 0) {
      await user.post(path, { name: this.#name(), type: 'A', data: this.#address() })
      return
    }
    const { records } = (await user.get(path)).body
    if (records.length > 0)
      await user.delete(`${path}/${this.#dice.pick<{ id: string }>(records).id}`)
  }

  async #powerDns(user: ApiClient): Promise<void> {
    const key = user.headers['x-auth-token'] ?? ''
    const changetype = this.#dice.pick(['REPLACE', 'REPLACE', 'DELETE'])
    const { type, records } = this.#records()
    const rrset = { name: this.#name(), type, ttl: 120, changetype }
    const contents = records.map(content => ({ content, disabled: false }))
    const rrsets = [{ ...rrset, ...(changetype === 'REPLACE' && { records: contents }) }]
    const client = user.with({ 'x-auth-token': '', 'x-api-key': key })
    await client.patch(`/api/v1/servers/localhost/zones/${this.#zone.name}`, { rrsets })
  }

  async #update(): Promise<void> {
    const name = this.#name()
    const add = `${name} 900 A ${this.#address()}`
    const changes = this.#dice.pick([[add], [`${name} ANY A`], [`${name} ANY A`, add]])
    // One of its own: the server closes a connection that has been idle, however long the changes between two updates take.
    const dns = await TcpClient.connect(this.#dns)
    await dns.ask(updateMessage({ zone: this.#zone.name, changes, id: this.#count }))
    dns.socket.destroy()
  }

  async #changeZone(user: ApiClient): Promise<void> {
    const ttl = this.#dice.pick([300, 1800, 3600])
    const email = this.#dice.pick(['a@example.net', 'b@example.net'])
    const content = { ttl, email, description: `${this.#count}` }
    const attributes = { tier: `${this.#count}` }
    const fields = this.#dice.pick([content, { attributes }, { ...content, attributes }])
    await user.patch(`/v2/zones/${this.#zone.id}`, fields)
  }

  /** Removes some and adds one, by a zone file. */
  async #import(user: ApiClient): Promise<void> {
    const kept = (await this.picture()).lines.filter(line => !/ (?:SOA|NS) |^\$/.test(line))
    const soa = '@ 300 SOA ns.example.net. b.example.net. 1 3600 600 86400 300'
    const head = [`$ORIGIN ${this.#zone.name}`, '$TTL 1800', soa]
    const added = `${this.#name()} 45 IN TXT "by file ${this.#count}"`
    const body = [...head, ...kept.filter(() => this.#dice.below(3) > 0), added, ''].join('\n')
    const headers = { 'content-type': 'text/dns' }
    const path = '/v2/zones/tasks/imports'
    const answer = await user.call('POST', `${path}?replace=true`, { body, headers })
    await until(
      () => user.get(`${path}/${answer.body.id}`),
      ({ body }) => body.status !== 'PENDING',
    )
  }
}

/** The serial of an SOA changes with every change. */
export function serialLess(type: string, record: string): string {
  return type === 'SOA' ? record.split(' ').toSpliced(2, 1).join(' ') : record
}
