import t from 'tap'
import { Arguments } from '../../../../src/api/rating/v1/arguments.ts'
import { NumberText } from '../../../../src/rating/exact-json.ts'
import { refusal } from '../../../helpers/refusal.ts'

const names = ['name', 'id', 'on', 'n', 'cost', 'level', 'at', 'kind']

function given(body: object, more: { path?: Record<string, string>; query?: string } = {}) {
  const { path = {}, query = '' } = more
  return new Arguments({ path, query: new URLSearchParams(query), body }, names)
}

const uuid = 'a1b2c3d4-0000-4000-8000-00000000000f'

t.test('an argument is the same wherever it comes from', async t => {
  const all = [
    given({ name: 'x' }),
    given({}, { path: { name: 'x' } }),
    given({}, { query: 'name=x' }),
    given({ name: 'x' }, { path: { name: 'x' }, query: 'name=x' }),
  ]
  for (const args of all) t.equal(args.requiredText('name'), 'x')
})

t.test('an argument that is unknown, or given twice and differently, is refused', async t => {
  t.throws(() => given({ other: 1 }), { message: 'Unknown argument: "other"' })
  t.throws(() => given({}, { query: 'other=1' }), refusal('bad_request'))
  t.throws(() => given({ id: 'a' }, { path: { id: 'b' } }), /more than once: "id"/)
  t.throws(() => given({}, { query: 'id=a&id=b' }), refusal('bad_request'))
})

t.test('what is left out, null or empty is not given', async t => {
  for (const body of [{}, { name: null }, { name: '' }]) {
    t.equal(given(body).text('name'), undefined)
    t.throws(() => given(body).requiredText('name'), /^.*name\. Value: 'None'\. Mandatory/)
  }
  t.equal(given({ name: null }).textOrNull('name'), null)
  t.equal(given({ name: '' }).textOrNull('name'), null)
  t.equal(given({}).textOrNull('name'), undefined)
  const nothing = given({ id: null, on: '', n: null, cost: null, at: '', kind: null })
  t.strictSame(
    [
      nothing.uuid('id'),
      nothing.uuidOrNull('id'),
      nothing.flag('on'),
      nothing.count('n'),
      nothing.amount('cost'),
      nothing.instant('at'),
      nothing.instantOrNull('at'),
      nothing.choice('kind', ['flat']),
    ],
    [undefined, null, undefined, undefined, undefined, undefined, null, undefined],
  )
})

t.test('values are read in each form that clients write', async t => {
  t.equal(given({ id: uuid.toUpperCase().replaceAll('-', '') }).requiredUuid('id'), uuid)
  for (const on of [true, 'True', '1', 'yes', 1]) t.equal(given({ on }).flag('on'), true)
  for (const on of [false, 'False', '0', 'off', 0]) t.equal(given({ on }).flag('on'), false)
  for (const n of [50, '50']) t.equal(given({ n }).count('n'), 50)
  const cost = '0.1000000000000000055511151231'
  for (const each of [cost, new NumberText(cost)])
    t.equal(given({ cost: each }).requiredAmount('cost'), cost)
  t.equal(given({ cost: 1e-7 }).amount('cost'), '0.0000001')
  t.equal(given({ at: '1970-01-01 01:00:00' }).instant('at'), 3600)
  t.equal(given({ kind: 'rate' }).choice('kind', ['flat', 'rate']), 'rate')
})

t.test('what cannot be read is refused with its name and value', async t => {
  const cases: readonly [object, (args: Arguments) => unknown, RegExp][] = [
    [{ name: 7 }, args => args.text('name'), /attribute name\. Value: '7'/],
    [{ id: 'x' }, args => args.uuid('id'), /attribute id\. Value: 'x'\. Expected a UUID/],
    [{ on: 'maybe' }, args => args.flag('on'), /Expected a boolean/],
    [{ n: 0 }, args => args.count('n'), /attribute n\. Value: '0'/],
    [{ n: 1.5 }, args => args.count('n'), /attribute n/],
    [{ n: true }, args => args.count('n'), /Expected a number/],
    [{ cost: 'NaN' }, args => args.amount('cost'), /attribute cost\. Value: 'NaN'/],
    [{ level: [] }, args => args.amount('level'), /attribute level/],
    [{}, args => args.requiredAmount('cost'), /Mandatory field missing/],
    [{ at: 'soon' }, args => args.instant('at'), /ISO 8601/],
    [{ kind: 'odd' }, args => args.choice('kind', ['flat', 'rate']), /one of: flat, rate/],
    [{ name: ['x'.repeat(999)] }, args => args.text('name'), /\["x{62}…'/],
  ]
  for (const [body, read, message] of cases)
    t.throws(() => read(given(body)), { ...refusal('bad_request'), message })
})

t.test('an object that says how it is to be a text is refused like any other', async t => {
  for (const odd of [{ toString: 1 }, { toString: null, valueOf: null }, [{ toString: 1 }]]) {
    t.throws(() => given({ at: odd }).instant('at'), refusal('bad_request'))
    t.throws(() => given({ on: odd }).flag('on'), refusal('bad_request'))
    t.throws(() => given({ n: odd }).count('n'), refusal('bad_request'))
  }
})
