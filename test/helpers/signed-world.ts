import {
  type GoalKey,
  type KeyRole,
  recordsOf,
  type WantedKey,
  withGoals,
} from '../../src/dnssec/key-goals.ts'
import { hidden, isPending, isServed, omnipresent } from '../../src/dnssec/presence.ts'
import {
  advance,
  dsFollowed,
  dsSeenAgain,
  isDsLeaving,
  nextDueAt,
  served,
} from '../../src/dnssec/rolls.ts'
import { isGone, wantsDs } from '../../src/dnssec/views.ts'
import type { Dice } from './dice.ts'

const minute = 60_000_000

/** In minutes. */
export type Ages = {
  readonly dnskeyTtl: number
  readonly zoneTtl: number
  readonly dsTtl: number
  readonly zonePropagation: number
  readonly parentPropagation: number
}

export type WorldKey = GoalKey

/** What was served from a moment on, until the next. */
type Version<Value> = { readonly at: number; readonly value: Value }
type Line<Value> = Version<Value>[]
type Set = readonly WorldKey[]

/** A signed zone with its servers, its parent and all possible caches, a minute at a time. The server's driver is
 *  simulated as simply as possible; the parent applies what the zone asks for late, in parts and in any order. */
export class SignedWorld {
  now = 0
  keys: WorldKey[] = []
  /** Whether the driver runs. */
  isRunning = true
  /** Whether the parent follows what the zone asks for. */
  isParentAwake = true
  readonly #dice: Dice
  readonly #ages: Ages
  #wanted: readonly WantedKey[] = []
  #madeCount = 0
  /** DNSKEY, with the algorithms and keys that sign it. */
  readonly #dnskey: Line<Set> = []
  /** The signatures of some RRsets, which are signed again one after the other. */
  readonly #signatures: Line<Set>[] = [[], [], []]
  readonly #parent: Line<Set>[] = [[], [], []]
  /** The events outside the driver, by minute. */
  readonly #agenda: { readonly at: number; readonly run: () => void }[] = []
  /** Which keys the zone is being signed with, and when that is done. */
  #signing = { by: '', doneAt: 0 }
  /** @param inUse keys that come from a server which has the zone signed with them */
  constructor(dice: Dice, ages: Ages, inUse: readonly WantedKey[] = []) {
    this.#dice = dice
    this.#ages = ages
    this.keys = inUse.map((it): WorldKey => {
      const key = this.#newKey(it)
      return { ...key, ...recordsOf(key.role, omnipresent) }
    })
    this.#dnskey.push({ at: -Infinity, value: this.keys })
    const signers = this.keys.filter(({ zoneSignatures }) => zoneSignatures !== null)
    for (const line of this.#signatures) line.push({ at: -Infinity, value: signers })
    const entries = this.keys.filter(({ ds }) => ds !== null)
    for (const line of this.#parent) line.push({ at: -Infinity, value: entries })
    this.#signing = { by: idsOf(signers), doneAt: 0 }
    this.#dsAsked = idsOf(entries)
  }

  want(wanted: readonly WantedKey[], retired?: KeyRole): void {
    const isOff = wanted.length === 0
    this.#wanted = wanted
    this.#setGoals(isOff ? undefined : retired)
  }

  get wanted(): readonly WantedKey[] {
    return this.#wanted
  }

  later(minutes: number, run: () => void): void {
    this.#agenda.push({ at: this.now + minutes, run })
  }

  /** Advances to a moment, stopping at the minutes of all events, or at every minute. */
  runUntil(end: number, { isEachMinute = false } = {}): void {
    this.later(1, () => undefined)
    while (this.now < end) {
      this.now = isEachMinute ? this.now + 1 : Math.min(end, this.#nextMinute())
      this.#happen()
      if (this.isRunning) this.#drive()
    }
  }

  /** Whether all wanted keys are everywhere and no other keys anywhere. */
  get isSettled(): boolean {
    const isOver = this.keys.every(key =>
      [key.dnskey, key.zoneSignatures, key.ds].every(
        it => it === null || it.state === 'OMNIPRESENT',
      ),
    )
    return isOver && this.keys.length === this.#wanted.length
  }

  #nextMinute(): number {
    const due = nextDueAt(this.keys)
    const born = this.keys.map(({ createdAt, role, algorithm }) => {
      const lifetime = this.#wanted.find(it => it.role === role && it.algorithm === algorithm)
      return createdAt / minute + (lifetime?.lifetimeSeconds ?? Infinity) / 60
    })
    const moments = [due === undefined ? Infinity : due / minute, ...born]
    const own = this.isRunning ? moments.map(Math.ceil) : []
    const next = [...own, ...this.#agenda.map(({ at }) => at), this.#signing.doneAt]
    return Math.min(Infinity, ...next.filter(at => at > this.now))
  }

  #happen(): void {
    const due = this.#agenda.filter(({ at }) => at <= this.now)
    for (const item of due) {
      this.#agenda.splice(this.#agenda.indexOf(item), 1)
      item.run()
    }
  }

  #setGoals(retired?: KeyRole): void {
    const now = this.now * minute
    const parts = retired === undefined ? { now } : { now, retired }
    const { keys, missing } = withGoals(this.keys, this.#wanted, parts)
    this.keys = [...keys, ...missing.map(want => this.#newKey(want))]
  }

  #newKey({ role, algorithm }: WantedKey): WorldKey {
    this.#madeCount += 1
    const id = `${role} ${this.#madeCount}`
    const createdAt = this.now * minute
    return { id, role, algorithm, createdAt, goal: 'OMNIPRESENT', ...recordsOf(role, hidden) }
  }

  #drive(): void {
    const before = this.keys
    this.#setGoals()
    this.keys = advance(this.keys, this.now * minute)
    const isInsecure =
      this.#wanted.length === 0 && this.keys.every(({ ds }) => ds?.state !== 'UNRETENTIVE')
    this.keys = isInsecure
      ? []
      : this.keys.filter(key => key.goal === 'OMNIPRESENT' || !isGone(key))
    this.#serve()
    this.#noteServed()
    this.#askOfParent()
    const isSame =
      before.length === this.keys.length && before.every((key, i) => key === this.keys[i])
    if (!isSame) this.later(1, () => undefined)
  }

  /** Serves the keys at once, and signs one RRset after the other: an unsigned zone as a whole. */
  #serve(): void {
    this.#put(
      this.#dnskey,
      this.keys.filter(({ dnskey }) => isServed(dnskey)),
    )
    const signers = this.keys.filter(({ zoneSignatures: it }) => it !== null && isServed(it))
    const by = idsOf(signers)
    if (by === this.#signing.by) return
    const isWhole = signers.length === 0 || this.#signing.by === ''
    this.#signing = { by, doneAt: this.now + (isWhole ? 0 : 90) }
    for (const line of this.#signatures) {
      if (isWhole) this.#put(line, signers)
      else {
        this.later(this.#dice.below(90), () => {
          if (this.#signing.by === by) this.#put(line, signers)
        })
      }
    }
  }

  /** Notes what is served now, and until when caches may still hold older state. */
  #noteServed(): void {
    const { dnskeyTtl, zoneTtl, zonePropagation } = this.#ages
    const until = (ttl: number) => (this.now + ttl + zonePropagation) * minute
    this.keys = served(this.keys, 'dnskey', until(dnskeyTtl))
    if (this.#signing.doneAt <= this.now) {
      this.keys = served(this.keys, 'zoneSignatures', until(zoneTtl))
    }
  }

  /** The parent reads what the zone asks for at arbitrary times. */
  #askOfParent(): void {
    const asked = this.keys.filter(wantsDs)
    if (idsOf(asked) !== this.#dsAsked) {
      if (asked.length === 0 && this.#wanted.length > 0) throw bogus(this, 'no DS', {})
      this.#dsAsked = idsOf(asked)
      this.#letParentFollow()
    }
    if (
      !this.#isChecking &&
      this.keys.some(key => isDsLeaving(key) || (key.ds && isPending(key.ds) && !key.ds.until))
    ) {
      this.#isChecking = true
      this.later(1 + this.#dice.below(240), () => {
        this.#isChecking = false
        if (this.isRunning) this.#checkParent()
      })
    }
  }

  #dsAsked = ''
  #isChecking = false

  #letParentFollow(): void {
    const after = this.#dice.below(4 * 1440)
    this.later(after, () => {
      if (!this.isParentAwake) {
        this.#letParentFollow()
        return
      }
      // A manual change may add and remove separately, in either order, and reaches each server at any time.
      const asked = this.keys.filter(wantsDs)
      const between = this.#dice.pick([
        () => asked,
        // A DS that a server has dropped does not come back unless the zone asks for it.
        (before: Set) => [...new Set([...before, ...asked])],
        (before: Set) => asked.filter(key => hasId(before, key)),
      ])
      for (const line of this.#parent) {
        this.later(this.#dice.below(60), () => this.#put(line, between(line.at(-1)?.value ?? [])))
        this.later(60 + this.#dice.below(60), () => {
          if (idsOf(asked) === this.#dsAsked) this.#put(line, asked)
        })
      }
      this.later(121, () => {
        if (this.#parent.some(line => idsOf(line.at(-1)?.value ?? []) !== this.#dsAsked))
          this.#letParentFollow()
      })
    })
  }

  #checkParent(): void {
    const { dsTtl, parentPropagation } = this.#ages
    this.keys = this.keys.map(key => {
      const has = this.#parent.map(line => hasId(line.at(-1)?.value ?? [], key))
      if (isDsLeaving(key) && has.some(it => it)) return dsSeenAgain(key)
      const isFollowed = key.ds?.state === 'RUMOURED' ? has.every(it => it) : !has.some(it => it)
      return isFollowed ? dsFollowed(key, (this.now + dsTtl + parentPropagation) * minute) : key
    })
  }

  /** Serves another set; returns whether it differs. All possible caches must be able to validate with it. */
  #put(line: Line<Set>, value: Set): boolean {
    if (idsOf(line.at(-1)?.value ?? []) === idsOf(value)) return false
    line.push({ at: this.now, value })
    this.#requireValid()
    return true
  }

  /** Every set of DS with every DNSKEY RRset and every signature that caches may have at this moment. */
  #requireValid(): void {
    const { dnskeyTtl, zoneTtl, dsTtl, zonePropagation, parentPropagation } = this.#ages
    const dsViews = this.#parent.flatMap(line => this.#cached(line, dsTtl + parentPropagation))
    const dnskeyViews = this.#cached(this.#dnskey, dnskeyTtl + zonePropagation)
    for (const ds of dsViews) {
      for (const dnskeys of dnskeyViews) {
        requireBelieved(
          ds,
          dnskeys,
          dnskeys.filter(({ role }) => role !== 'ZSK'),
          this,
        )
        for (const line of this.#signatures) {
          for (const signers of this.#cached(line, zoneTtl + zonePropagation)) {
            requireSigned(ds, dnskeys, signers, this)
          }
        }
      }
    }
  }

  /** What was served at any moment of the last minutes. */
  #cached(line: Line<Set>, minutes: number): Set[] {
    const since = this.now - minutes
    return line.filter((_, i) => (line[i + 1]?.at ?? Infinity) > since).map(({ value }) => value)
  }
}

/** RFC 4035 section 5.2: with every algorithm of DS, a DS leads to a key that signs DNSKEY. */
function requireBelieved(ds: Set, dnskeys: Set, signedBy: Set, world: SignedWorld): void {
  for (const { algorithm } of ds) {
    const entry = signedBy.find(key => key.algorithm === algorithm && hasId(ds, key))
    if (entry === undefined) throw bogus(world, 'DNSKEY', { ds, dnskeys, signers: signedBy })
  }
}

/** RFC 4035 section 5.3 and 2.2: an RRset is signed with every algorithm of the DNSKEY RRset, by keys that are in it. */
function requireSigned(ds: Set, dnskeys: Set, signers: Set, world: SignedWorld): void {
  if (ds.length === 0) return
  for (const { algorithm } of dnskeys) {
    const signer = signers.find(key => key.algorithm === algorithm && hasId(dnskeys, key))
    if (signer === undefined) throw bogus(world, 'data', { ds, dnskeys, signers })
  }
}

function bogus({ now, keys }: SignedWorld, what: string, sets: Record<string, Set>): Error {
  const texts = Object.entries(sets).map(([name, set]) => `${name} {${idsOf(set)}}`)
  const states = keys.map(({ id, goal, dnskey, zoneSignatures, ds }) =>
    [id, goal, dnskey.state, zoneSignatures?.state, ds?.state].join(' '),
  )
  return new Error(`minute ${now}: ${what} bogus with ${texts.join(', ')}\n${states.join('\n')}`)
}

function idsOf(keys: Set): string {
  return keys
    .map(({ id, algorithm }) => `${id}/${algorithm}`)
    .sort()
    .join(', ')
}

function hasId(keys: Set, { id }: WorldKey): boolean {
  return keys.some(key => key.id === id)
}
