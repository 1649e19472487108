import fc from 'fast-check'
import t from 'tap'
import { depth } from '../../helpers/depth.ts'
import { Dice } from '../../helpers/dice.ts'
import { MonthsOfRolls, policyNames } from '../../helpers/months-of-rolls.ts'

// Keys of a zone whose parent is hosted here: what caches of every age have of both is validated each minute.

const day = 1440
/** Deeper runs are others each time. */
const usualSeed = depth === 1 ? { seed: 1 } : {}

t.test(
  'months of every roll below a parent that is here: no cache ever has a bogus zone',
  async t => {
    const months = await MonthsOfRolls.open(new Dice(1))
    await months.live(7 * depth)
    t.equal(months.status, 'UNSIGNED')
    t.ok(months.caches.comparedCount > 100, `${months.caches.comparedCount} sets of cached answers`)
    t.same(months.problems, [])
  },
)

const command = fc.oneof(
  fc.record({ kind: fc.constant('use' as const), policy: fc.constantFrom(...policyNames) }),
  fc.record({
    kind: fc.constant('roll' as const),
    role: fc.constantFrom('CSK' as const, 'KSK' as const, 'ZSK' as const),
  }),
  fc.constant({ kind: 'import' as const }),
  fc.constant({ kind: 'turnOff' as const }),
  fc.constant({ kind: 'restart' as const }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never
const minutes = fc.oneof(fc.nat(3), fc.nat(3 * 60), fc.nat(day))

function run(months: MonthsOfRolls, command: Command): Promise<unknown> {
  switch (command.kind) {
    case 'use':
      return months.use(command.policy)
    case 'roll':
      return months.roll(command.role)
    default:
      return months[command.kind]()
  }
}

t.test(
  'random rolls, policies, imports and crashes: never bogus, and it comes to an end',
  async t => {
    const sequence = fc.array(fc.tuple(command, minutes), { minLength: 1, maxLength: 8 })
    const property = fc.asyncProperty(sequence, fc.nat(), async (commands, seed) => {
      const months = await MonthsOfRolls.open(new Dice(seed))
      await months.use('default')
      for (const [command, gap] of commands) {
        await run(months, command)
        await months.pass(gap)
      }
      await months.use('ed25519')
      await months.pass(4 * day)
      if (!months.isSettled) throw new Error('stuck')
    })
    await fc.assert(property, { numRuns: 5 * depth, ...usualSeed })
    t.pass()
  },
)
