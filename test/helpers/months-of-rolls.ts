import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { newPrivateKey } from '../../src/dnssec/key.ts'
import type { KeyRole } from '../../src/dnssec/key-goals.ts'
import { ApiError } from '../../src/errors.ts'
import type { AskParent } from '../../src/service/dnssec/parent-check.ts'
import type { Rrset } from '../../src/zone/rrset.ts'
import { soaNumbers } from '../../src/zone/soa.ts'
import { CachedChain, type ServedRrset } from './cached-chain.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import type { Dice } from './dice.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from './dns.ts'
import { openMemoryStore } from './memory-store.ts'
import { until } from './until.ts'

const one = callerOf('one')
const minuteMillis = 60_000
const minutesOfDay = 1440
const childName = 'child.example.com.'
const apex = parseName(childName)
const www = parseName(`www.${childName}`)

/** A parent elsewhere. */
export type ParentElsewhere = {
  /** As the API takes it. */
  readonly servers: readonly string[]
  readonly ask: AskParent
  /** The response of its server now. */
  ds(): Promise<Rrset | undefined>
  /** As a registry does for CDS. */
  setDs(rdatas: readonly Uint8Array[]): Promise<void>
}

export const policyNames = ['default', 'ed25519', 'short', 'short15'] as const
export type PolicyName = (typeof policyNames)[number]

/** A zone whose keys are rolled for months, a minute at a time, by the services of the server and its clock, below a parent
 *  that is here or one elsewhere that follows its CDS late. Each minute, everything that caches may hold must validate. */
export class MonthsOfRolls {
  readonly caches: CachedChain
  readonly #clock: FakeClock
  readonly #dice: Dice
  readonly #parent: ParentElsewhere | undefined
  readonly #policyIds: ReadonlyMap<PolicyName, string>
  readonly #zoneId: string
  #dns: TestDns
  #dsElsewhere: Rrset | undefined
  /** The minute at which the registry looks at CDS that it does not have yet. */
  #followsAt: number | undefined
  minute = 0

  private constructor(
    dns: TestDns,
    parts: { clock: FakeClock; dice: Dice; parent: ParentElsewhere | undefined },
    ids: { zoneId: string; policyIds: ReadonlyMap<PolicyName, string> },
  ) {
    this.#dns = dns
    this.#clock = parts.clock
    this.#dice = parts.dice
    this.#parent = parts.parent
    this.#zoneId = ids.zoneId
    this.#policyIds = ids.policyIds
    const soa = dns.served.get(apex)?.findRrset(apex, types.SOA)
    if (soa === undefined) throw new Error('the zone is not served')
    this.caches = new CachedChain(apex, Math.min(soa.ttlSeconds, soaNumbers(soa).minimumSeconds))
  }

  static async open(dice: Dice, parent?: ParentElsewhere): Promise<MonthsOfRolls> {
    const clock = fakeClock()
    const dns = await open(openMemoryStore({ clock }), clock, parent)
    const split = (name: string, algorithm: number) =>
      dns.dnssecPolicies.create({
        ...{ name, description: null, keys: 'KSK+ZSK', algorithm, dsDigests: [2, 4] },
        ...{ kskLifetimeDays: 20, zskLifetimeDays: 5 },
      })
    const policyIds = new Map<PolicyName, string>([
      ['default', 'default'],
      ['ed25519', 'ed25519'],
      ['short', (await split('short', 13)).id],
      ['short15', (await split('short15', 15)).id],
    ])
    if (parent === undefined) {
      const above = await dns.zones.create(one, primary('example.com.'))
      const cut = { ...addresses(childName), type: 'NS', records: ['ns1.example.com.'] }
      await dns.recordsets.create(one, above.id, cut)
    }
    const zone = await dns.zones.create(one, primary(childName))
    await dns.recordsets.create(one, zone.id, addresses(`www.${childName}`))
    const months = new MonthsOfRolls(dns, { clock, dice, parent }, { zoneId: zone.id, policyIds })
    months.#look()
    return months
  }

  get status(): string {
    return this.#dns.dnssec.get(one, this.#zoneId).status
  }

  /** Whether all wanted keys are everywhere and no other keys anywhere. */
  get isSettled(): boolean {
    const { keys } = this.#dns.dnssec.get(one, this.#zoneId)
    return keys.every(({ row: { goal, dnskey, zoneSignatures, ds } }) =>
      [goal, dnskey?.state, zoneSignatures?.state, ds?.state].every(
        state => state === undefined || state === 'OMNIPRESENT',
      ),
    )
  }

  get problems(): readonly unknown[] {
    return this.#dns.problems
  }

  async use(policy: PolicyName): Promise<void> {
    const policyId = this.#policyIds.get(policy)
    const parentServers = this.#parent?.servers
    await unlessRefused(() =>
      this.#dns.dnssec.enable(one, this.#zoneId, { policyId, parentServers }),
    )
    await this.#settle()
  }

  /** Returns whether that could be. */
  roll(role: KeyRole): Promise<boolean> {
    return unlessRefused(() => this.#dns.dnssec.roll(one, this.#zoneId, role))
  }

  /** Imports a key; returns whether it was taken. */
  async import(): Promise<boolean> {
    const text = newPrivateKey().toString('base64').replaceAll(/.{64}/g, '$&\n')
    const pem = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`
    const draft = { text: pem, role: 'CSK' as const }
    return unlessRefused(() => this.#dns.dnssecKeys.import(one, this.#zoneId, draft))
  }

  async turnOff(): Promise<void> {
    await this.#dns.dnssec.disable(one, this.#zoneId, false)
  }

  /** Continues as a new process does that has only the stored data. */
  async restart(): Promise<void> {
    this.#dns = await open(this.#dns.store, this.#clock, this.#parent)
    await this.#settle()
  }

  /** All kinds of rolls one after the other, from unsigned to unsigned.
   *  @throws Error one of them is not over after so many days */
  async live(daysEach: number): Promise<void> {
    const steps: readonly (() => Promise<unknown>)[] = [
      () => this.use('default'),
      () => this.roll('CSK'),
      () => this.import(),
      () => this.use('ed25519'),
      () => this.use('short15'),
      () => this.restart(),
      () => this.use('default'),
      () => this.turnOff(),
    ]
    for (const [i, step] of steps.entries()) {
      if ((await step()) === false) throw new Error(`step ${i} was refused`)
      await this.pass(daysEach * minutesOfDay)
      if (this.#policy !== this.#policyIds.get('short15') && !this.isSettled)
        throw new Error(`step ${i} is not over`)
    }
  }

  get #policy(): string | undefined {
    return this.#dns.store.get('zones', this.#zoneId)?.dnssec?.policy
  }

  async pass(minutes: number): Promise<void> {
    for (let left = minutes; left > 0; left -= 1) {
      this.minute += 1
      this.#clock.advanceMillis(minuteMillis)
      await this.#dns.dnssec.rolls.stepDue()
      if (this.minute % 60 === 0) await this.#dns.dnssec.renew()
      await this.#letParentFollow()
      this.#look()
      if (this.minute % 360 === 0) this.caches.requireValid(this.#nowSeconds)
    }
  }

  get #nowSeconds(): number {
    return this.#clock.nowMillis() / 1000
  }

  async #settle(): Promise<void> {
    await until(
      async () => this.status,
      status => status !== 'SIGNING',
    )
    this.#look()
  }

  #look(): void {
    const served = this.#dns.served.get(apex)
    const signaturesOf = (owner: typeof apex) => served?.findRrset(owner, types.RRSIG)?.rdatas ?? []
    const lines = [apex, www].flatMap((owner): ServedRrset[] => {
      const signatures = signaturesOf(owner)
      const kinds = owner === www ? [types.A] : [types.DNSKEY, types.SOA]
      return kinds.map(type => ({ owner, type, rrset: served?.findRrset(owner, type), signatures }))
    })
    const parent = this.#dns.served.get(parseName('example.com.'))
    const rrset = this.#parent === undefined ? parent?.findRrset(apex, types.DS) : this.#dsElsewhere
    const ds: ServedRrset = { owner: apex, type: types.DS, rrset, signatures: [] }
    this.caches.note(this.#nowSeconds, [ds, ...lines])
  }

  /** The registry looks at arbitrary times and applies what it finds at once. */
  async #letParentFollow(): Promise<void> {
    if (this.#parent === undefined) return
    const wanted = this.#dns.served.get(apex)?.findRrset(apex, types.CDS)?.rdatas
    if (wanted === undefined) {
      this.#followsAt = undefined
      return
    }
    const isGoing = wanted.some(rdata => rdata[2] === 0)
    const ds = isGoing ? [] : wanted
    if (textOf(ds) === textOf(this.#dsElsewhere?.rdatas ?? [])) return
    this.#followsAt ??= this.minute + this.#dice.below(2 * minutesOfDay)
    if (this.minute < this.#followsAt) return
    this.#followsAt = undefined
    await this.#parent.setDs(ds)
    this.#dsElsewhere = await this.#parent.ds()
    if (textOf(this.#dsElsewhere?.rdatas ?? []) !== textOf(ds))
      throw new Error('the parent has other DS')
  }
}

function open(store: TestDns['store'], clock: FakeClock, parent: ParentElsewhere | undefined) {
  return openDns({ store, clock, ...(parent && { askParent: parent.ask }) })
}

function textOf(rdatas: readonly Uint8Array[]): string {
  return rdatas
    .map(rdata => Buffer.from(rdata).toString('hex'))
    .sort()
    .join(' ')
}

/** An earlier roll may not be over, or the policy has no such key. */
async function unlessRefused(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
