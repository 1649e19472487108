import type { Answer, ApiClient } from './api-client.ts'
import type { Dice } from './dice.ts'
import type { Member } from './members.ts'

// Clients that compete for the same few names, of zones and recordsets alike, in two conflicting
// projects. Each chooses an action by the state that it reads, which others change in the meantime.

/** The quotas of both projects; small, so that they are reached constantly. */
export const crowdQuota = {
  zones: 3,
  zone_recordsets: 6,
  zone_records: 6,
  recordset_records: 3,
} as const

const zoneNames = [
  'a.example.',
  'b.example.',
  'c.example.',
  'd.example.',
  'sub.a.example.',
  'deep.sub.a.example.',
  'sub.b.example.',
]
const labels = ['', 'www.', 'WWW.', 'mail.', 'sub.', 'x.sub.', '*.', 'a.b.c.', 'b.c.', 'host.']
const types: readonly (readonly [type: string, record: (i: number) => string])[] = [
  ['A', i => `192.0.2.${i}`],
  ['A', i => `198.51.100.${i}`],
  ['AAAA', i => `2001:db8::${i}`],
  ['TXT', i => `"text ${i}"`],
  ['MX', i => `${i} mail.example.net.`],
  ['CNAME', i => `host${i}.example.net.`],
  ['NS', i => `ns${i}.example.net.`],
  ['DNAME', i => `other${i}.example.net.`],
]

/** The expected refusals; any other status is a fault of the server. */
const refusals = [400, 401, 403, 404, 409, 413, 429]

type ZoneBody = { readonly id: string; readonly name: string }
type RecordsetBody = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly records: readonly string[]
}
type List<K extends string, T> = { readonly [key in K]: readonly T[] } & {
  readonly metadata: { readonly total_count: number }
}

/** The observations of all clients together. */
export class CrowdLog {
  readonly countByStatus = new Map<number, number>()
  /** Observations that no client may ever make. */
  readonly faults: string[] = []
  /** The highest count seen of each resource with a quota. */
  readonly most = { zones: 0, recordsets: 0, records: 0 }
  answerCount = 0

  /** Whether the quotas were reached, and changes were refused for exceeding them and as duplicates. */
  get hasMetLimits(): boolean {
    const { zones, zone_recordsets: recordsets, zone_records: records } = crowdQuota
    const { most, countByStatus } = this
    const hasMost = most.zones >= zones && most.recordsets >= recordsets && most.records >= records
    return hasMost && countByStatus.has(413) && countByStatus.has(409)
  }

  note(call: string, { status, text }: Answer): void {
    this.answerCount += 1
    this.countByStatus.set(status, (this.countByStatus.get(status) ?? 0) + 1)
    if (status >= 300 && !refusals.includes(status)) this.fault(`${call}: ${status} ${text}`)
  }

  fault(text: string): void {
    if (this.faults.length < 20) this.faults.push(text)
  }

  /** Checks a list of a project's zones: no name twice, and no more than its quota. */
  noteZones(zones: readonly ZoneBody[], totalCount: number): void {
    this.most.zones = Math.max(this.most.zones, totalCount)
    if (totalCount > crowdQuota.zones) this.fault(`${totalCount} zones of one project`)
    if (zones.length !== totalCount) this.fault(`${zones.length} zones listed of ${totalCount}`)
    this.#noteDistinct(zones.map(({ name }) => name))
  }

  /** Checks a list of a zone's recordsets: no name and type twice, and no more than the quota. */
  noteRecordsets(recordsets: readonly RecordsetBody[], zoneName: string): void {
    this.#noteDistinct(recordsets.map(({ name, type }) => `${name.toLowerCase()} ${type}`))
    const isManaged = ({ name, type }: RecordsetBody): boolean =>
      name === zoneName && (type === 'SOA' || type === 'NS')
    const own = recordsets.filter(recordset => !isManaged(recordset))
    const recordCount = own.reduce((count, { records }) => count + records.length, 0)
    this.most.recordsets = Math.max(this.most.recordsets, recordsets.length)
    this.most.records = Math.max(this.most.records, recordCount)
    if (recordsets.length > crowdQuota.zone_recordsets) {
      this.fault(`${recordsets.length} recordsets in ${zoneName}`)
    }
    if (recordCount > crowdQuota.zone_records) {
      this.fault(`${recordCount} records in ${zoneName}`)
    }
    for (const { name, type, records } of own) {
      const isFew = records.length <= crowdQuota.recordset_records
      if (!isFew) this.fault(`${records.length} records at ${name} ${type}`)
    }
  }

  #noteDistinct(keys: readonly string[]): void {
    const seen = new Set<string>()
    for (const key of keys) {
      if (seen.has(key)) this.fault(`${key} is listed twice`)
      seen.add(key)
    }
  }
}

/** One client of the crowd. */
export class CrowdClient {
  readonly #client: ApiClient
  readonly #other: Member
  readonly #dice: Dice
  readonly #log: CrowdLog
  readonly #base: string

  constructor(parts: {
    readonly member: Member
    /** The project that zones are transferred to and shared with. */
    readonly other: Member
    readonly dice: Dice
    readonly log: CrowdLog
  }) {
    this.#client = parts.member.client
    this.#other = parts.other
    this.#dice = parts.dice
    this.#log = parts.log
    this.#base = parts.dice.pick(['/v2', '/dns/v2'])
  }

  /** Reads the current state and performs an action on it. */
  async step(): Promise<void> {
    const zones = await this.#zones()
    const zone = zones[this.#dice.below(zones.length + 1)]
    if (zone === undefined) await this.#createZone()
    else if (this.#dice.below(4) === 0) await this.#changeZone(zone)
    else await this.#changeRecordsets(zone)
  }

  async #zones(): Promise<readonly ZoneBody[]> {
    const answer = await this.#call('GET', '/zones?limit=100')
    const list = answer.body as List<'zones', ZoneBody>
    this.#log.noteZones(list.zones, list.metadata.total_count)
    return list.zones
  }

  #createZone(): Promise<Answer> {
    const name = this.#dice.pick(zoneNames)
    return this.#call('POST', '/zones', { name, email: 'ops@example.net' })
  }

  #changeZone({ id }: ZoneBody): Promise<unknown> {
    const dice = this.#dice
    return dice.pick([
      () => this.#createZone(),
      () => this.#createZone(),
      () => this.#call('PATCH', `/zones/${id}`, { ttl: dice.below(900) }),
      () => this.#call('DELETE', `/zones/${id}`),
      () => this.#handOver(id),
      () => this.#importZone(),
    ])()
  }

  /** Sends a zone as a file, sometimes with more in it than is allowed, without waiting for the outcome. */
  #importZone(): Promise<Answer> {
    const hosts = Array.from({ length: this.#dice.below(8) }, (_, i) => `h${i} A 192.0.2.${i}`)
    const soa = '@ SOA ns1.example.net. ops.example.net. 1 3600 600 86400 300'
    const origin = `$ORIGIN ${this.#dice.pick(zoneNames)}`
    const text = [origin, '$TTL 300', soa, '@ NS ns1.example.net.', ...hosts, ''].join('\n')
    return this.#call('POST', '/zones/tasks/imports', text)
  }

  /** Offers a zone to the other project, which accepts it if its quota allows. */
  async #handOver(zoneId: string): Promise<void> {
    const offered = await this.#call('POST', `/zones/${zoneId}/tasks/transfer_requests`, {})
    if (offered.status >= 300) return
    const { id, key } = offered.body as { id: string; key: string }
    const path = `${this.#base}/zones/tasks/transfer_accepts`
    const accepted = await this.#other.client.post(path, { key, zone_transfer_request_id: id })
    this.#log.note(`POST ${path}`, accepted)
    if (accepted.status >= 300) await this.#call('DELETE', `/zones/tasks/transfer_requests/${id}`)
  }

  async #changeRecordsets({ id, name: zoneName }: ZoneBody): Promise<void> {
    const listed = await this.#call('GET', `/zones/${id}/recordsets?limit=100`)
    if (listed.status !== 200) return
    const { recordsets } = listed.body as List<'recordsets', RecordsetBody>
    this.#log.noteRecordsets(recordsets, zoneName)
    const dice = this.#dice
    const path = `/zones/${id}/recordsets`
    const recordset = recordsets[2 + dice.below(2 * recordsets.length)]
    if (recordset === undefined) {
      const [type, record] = dice.pick(types)
      const name = dice.pick(labels) + zoneName
      await this.#call('POST', path, { name, type, records: this.#records(record) })
    } else if (dice.below(2) === 0) await this.#call('DELETE', `${path}/${recordset.id}`)
    else {
      const record = types.find(([type]) => type === recordset.type)?.[1] ?? String
      await this.#call('PUT', `${path}/${recordset.id}`, { records: this.#records(record) })
    }
  }

  #records(record: (i: number) => string): readonly string[] {
    const first = 1 + this.#dice.below(200)
    return Array.from({ length: 1 + this.#dice.below(4) }, (_, i) => record(first + i))
  }

  /** A body that is text is a zone file. */
  async #call(method: string, path: string, body?: object | string): Promise<Answer> {
    const headers = typeof body === 'string' ? { 'content-type': 'text/dns' } : {}
    const answer = await this.#client.call(method, this.#base + path, { body, headers })
    this.#log.note(`${method} ${this.#base}${path} ${JSON.stringify(body ?? '')}`, answer)
    return answer
  }
}
