import t, { type Test } from 'tap'
import { ApiError } from '../../../src/errors.ts'
import { recordIdOf } from '../../../src/model/record-id.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { Dice } from '../../helpers/dice.ts'
import { addresses, callerOf, everyRow, openDns, primary, type TestDns } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

// Random changes of one zone through both versions of the API, and beside them what should come of each, by the
// rule as it is told: who is who is kept in a map and not in marks and numbers.

const caller = callerOf('one')
const rounds = 400
const names = ['a', 'b', 'c'].map(label => `${label}.example.com.`)
const values = Array.from({ length: 7 }, (_, i) => `192.0.2.${i}`)

/** The records of a name: value and who it is. */
type Expected = ReadonlyMap<string, number>

class Twin {
  readonly #dns: TestDns
  readonly #zone: Zone
  readonly #dice: Dice
  readonly #expected = new Map<string, Expected>()
  /** Ids by who has them, also of those that are gone. */
  readonly #ids = new Map<number, string>()
  #born = 0

  constructor(dns: TestDns, zone: Zone, dice: Dice) {
    this.#dns = dns
    this.#zone = zone
    this.#dice = dice
  }

  /** Does one thing, or has it refused. */
  async step(): Promise<void> {
    const before = new Map(this.#expected)
    const ways = [this.#add, this.#replace, this.#rename, this.#remove, this.#putAll, this.#putAll]
    try {
      await this.#dice.pick(ways).call(this)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      for (const name of names) this.#expect(name, before.get(name) ?? new Map())
    }
  }

  check(t: Test, round: number): void {
    const listed = [...this.#dns.records.list(caller, this.#zone.id, everyRow)].flat()
    const told: string[] = []
    const wanted: string[] = []
    for (const { recordset, value, mark } of listed.filter(record => record.recordset.type === 'A'))
      told.push(`${recordset.name} ${value} ${recordIdOf(recordset, mark)}`)
    for (const [name, records] of this.#expected)
      for (const [value, who] of records) wanted.push(`${name} ${value} ${this.#idOf(who, told)}`)
    t.same(told.sort(), wanted.sort(), `round ${round}`)
    for (const line of told) {
      const [name, value, id = ''] = line.split(' ')
      const found = this.#dns.records.get(caller, { zoneId: this.#zone.id, id })
      t.equal(`${found.recordset.name} ${found.value}`, `${name} ${value}`, `round ${round}`)
    }
    t.equal(new Set(this.#ids.values()).size, this.#ids.size, 'no id is of two records, ever')
  }

  /** The id of a record: the one it has always had, or, where it is new, the one it has now. */
  #idOf(who: number, told: readonly string[]): string | undefined {
    const known = this.#ids.get(who)
    if (known !== undefined) return known
    const place = this.#placeOf(who)
    const id = told.find(line => line.startsWith(place))?.split(' ')[2]
    if (id !== undefined) this.#ids.set(who, id)
    return id
  }

  #placeOf(who: number): string {
    for (const [name, records] of this.#expected)
      for (const [value, each] of records) if (each === who) return `${name} ${value} `
    return 'nowhere'
  }

  #of(name: string): Expected {
    return this.#expected.get(name) ?? new Map()
  }

  #expect(name: string, records: Expected): void {
    this.#expected.set(name, records)
  }

  /** A record that there is. */
  #pick(): { readonly name: string; readonly value: string; readonly who: number; id: string } {
    const all = names.flatMap(name =>
      [...this.#of(name)].map(([value, who]) => ({
        name,
        value,
        who,
        id: this.#ids.get(who) ?? '',
      })),
    )
    if (all.length === 0) throw new ApiError('record_not_found', 'there is none')
    return this.#dice.pick(all)
  }

  async #add(): Promise<void> {
    const name = this.#dice.pick(names)
    const data = this.#dice.pick(values)
    const rest = { type: 'A', priority: null, ttlSeconds: null, description: null }
    await this.#dns.records.create(caller, this.#zone.id, { name, data, ...rest })
    this.#expect(name, new Map([...this.#of(name), [data, this.#born++]]))
  }

  async #replace(): Promise<void> {
    const { name, value, who, id } = this.#pick()
    const data = this.#dice.pick(values)
    await this.#dns.records.update(caller, { zoneId: this.#zone.id, id }, { data })
    const others = [...this.#of(name)].filter(([each]) => each !== value)
    this.#expect(name, new Map([...others, [data, who]]))
  }

  async #rename(): Promise<void> {
    const { name, value, who, id } = this.#pick()
    const target = this.#dice.pick(names)
    await this.#dns.records.update(caller, { zoneId: this.#zone.id, id }, { name: target })
    this.#expect(name, new Map([...this.#of(name)].filter(([each]) => each !== value)))
    this.#expect(target, new Map([...this.#of(target), [value, who]]))
  }

  async #remove(): Promise<void> {
    const { name, value, id } = this.#pick()
    await this.#dns.records.delete(caller, { zoneId: this.#zone.id, id })
    this.#expect(name, new Map([...this.#of(name)].filter(([each]) => each !== value)))
  }

  /** All values of a name at once, through v2. */
  async #putAll(): Promise<void> {
    const name = this.#dice.pick(names)
    const records = values.filter(() => this.#dice.below(3) === 0)
    if (this.#dice.below(2) === 0) records.reverse()
    const { rows } = await this.#dns.recordsets.list(this.#zone, { ...everyRow, name })
    const place = { zoneId: this.#zone.id, id: rows[0]?.id ?? '' }
    if (rows.length === 0) {
      await this.#dns.recordsets.create(caller, this.#zone.id, { ...addresses(name), records })
    } else await this.#dns.recordsets.update(caller, place, { records })
    const before = this.#of(name)
    const gone = [...before].filter(([value]) => !records.includes(value))
    const come = records.filter(value => !before.has(value))
    const heir = gone.length === 1 && come.length === 1 ? gone[0]?.[1] : undefined
    const whoIs = (value: string): number => before.get(value) ?? heir ?? this.#born++
    this.#expect(name, new Map(records.map(value => [value, whoIs(value)])))
  }
}

for (const seed of [1, 2, 3]) {
  t.test(`everybody keeps the own id through random changes (seed ${seed})`, async t => {
    const dns = await openDns()
    const zone = await dns.zones.create(caller, primary('example.com.'))
    const twin = new Twin(dns, zone, new Dice(seed))
    for (let round = 0; round < rounds; round += 1) {
      await twin.step()
      twin.check(t, round)
    }
    checkPublished(t, dns)
  })
}
