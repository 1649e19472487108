import fc from 'fast-check'
import t from 'tap'
import type { WantedKey } from '../../src/dnssec/key-goals.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { type Ages, SignedWorld } from '../helpers/signed-world.ts'

/** Of random ones. */
const sequenceCount = 300 * depth
const day = 1440
const ages: Ages = {
  dnskeyTtl: 60,
  zoneTtl: day,
  dsTtl: day,
  zonePropagation: 60,
  parentPropagation: 60,
}

const forEver = { lifetimeSeconds: null }
const policies = {
  csk13: [{ role: 'CSK', algorithm: 13, ...forEver }],
  csk15: [{ role: 'CSK', algorithm: 15, ...forEver }],
  split13: [
    { role: 'KSK', algorithm: 13, ...forEver },
    { role: 'ZSK', algorithm: 13, lifetimeSeconds: 30 * 86_400 },
  ],
  split15: [
    { role: 'KSK', algorithm: 15, lifetimeSeconds: 90 * 86_400 },
    { role: 'ZSK', algorithm: 15, lifetimeSeconds: 12 * 86_400 },
  ],
} as const satisfies Record<string, readonly WantedKey[]>

type PolicyName = keyof typeof policies

t.test(
  'every roll over half a year in steps of a minute: no cache ever has a bogus zone',
  async t => {
    const world = new SignedWorld(new Dice(1), ages)
    const steps: readonly (() => void)[] = [
      () => world.want(policies.csk13),
      () => world.want(policies.csk13, 'CSK'),
      () => world.want(policies.csk15),
      () => world.want(policies.split15),
      () => world.want(policies.split15, 'KSK'),
      () => world.want(policies.split15, 'ZSK'),
      () => world.want(policies.split13),
      () => world.want(policies.csk13),
      () => world.want([]),
    ]
    for (const step of steps) {
      step()
      world.runUntil(world.now + 20 * day, { isEachMinute: true })
      const states = world.keys.map(key => `${key.id} ${key.dnskey.state} ${key.ds?.state}`)
      t.ok(world.isSettled, `after ${world.now / day} days: ${states.join(', ')}`)
    }
    t.same(world.keys, [])
  },
)

const command = fc.oneof(
  fc.record({
    kind: fc.constant('policy' as const),
    name: fc.constantFrom(...(Object.keys(policies) as PolicyName[])),
  }),
  fc.record({
    kind: fc.constant('roll' as const),
    role: fc.constantFrom('CSK' as const, 'KSK' as const, 'ZSK' as const),
  }),
  fc.record({ kind: fc.constant('off' as const) }),
  fc.record({ kind: fc.constant('crash' as const) }),
  fc.record({ kind: fc.constant('parentSleeps' as const) }),
)
const minutes = fc.oneof(fc.nat(3 * 60), fc.nat(3 * day), fc.nat(40 * day))

t.test(
  'random rolls, policies, crashes and lazy parents: never bogus, and in the end it is as wanted',
  async t => {
    const sequence = fc.array(fc.tuple(command, minutes), { minLength: 1, maxLength: 12 })
    const start = fc.constantFrom([], policies.csk13, policies.split15)
    const property = fc.property(sequence, start, fc.nat(), (commands, inUse, seed) => {
      const world = new SignedWorld(new Dice(seed), ages, inUse)
      world.want(policies.csk13)
      for (const [command, gap] of commands) {
        apply(world, command)
        world.runUntil(world.now + gap)
        world.isRunning = true
        world.isParentAwake = true
      }
      if (world.wanted.length > 0) world.want(policies.csk15)
      world.runUntil(world.now + 120 * day)
      if (!world.isSettled) throw new Error(`stuck: ${JSON.stringify(world.keys)}`)
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: sequenceCount }))
  },
)

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

function apply(world: SignedWorld, command: Command): void {
  if (command.kind === 'policy') world.want(policies[command.name])
  else if (command.kind === 'off') world.want([])
  else if (command.kind === 'crash') world.isRunning = false
  else if (command.kind === 'roll') world.want(world.wanted, command.role)
  else world.isParentAwake = false
}
