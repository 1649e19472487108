import t from 'tap'
import { attributeOf, canonicalAttributes } from '../../src/rating/attributes.ts'
import { describedBy, projectOf } from '../../src/rating/data-point.ts'

t.test('equal attributes have equal JSON, however they came', async t => {
  const text = JSON.stringify(canonicalAttributes({ b: '1', a: '2' }))
  t.equal(text, '{"a":"2","b":"1"}')
  t.equal(JSON.stringify(canonicalAttributes({ a: '2', b: '1' })), text)
  const odd = JSON.parse('{"b":"1","__proto__":"2"}') as Record<string, string>
  t.equal(JSON.stringify(canonicalAttributes(odd)), '{"__proto__":"2","b":"1"}')
})

t.test('only own attributes are found', async t => {
  t.equal(attributeOf({ a: '1' }, 'a'), '1')
  t.equal(attributeOf({ a: '1' }, 'toString'), undefined)
})

t.test('groupby goes before metadata, and both can name the project', async t => {
  t.equal(describedBy({ groupby: { a: '1' }, metadata: { a: '2', b: '3' } }, 'a'), '1')
  t.equal(describedBy({ groupby: { a: '1' }, metadata: { a: '2', b: '3' } }, 'b'), '3')
  t.equal(projectOf({ groupby: {}, metadata: { project_id: 'p' } }), 'p')
  t.equal(projectOf({ groupby: {}, metadata: {} }), '')
})
