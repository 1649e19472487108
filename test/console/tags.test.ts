import t from 'tap'
import { attributesTyped, tagFilter, tagsOf, tagText } from '../../src/console/records/tags.ts'

const attributes = { tier: 'gold', transfer_key: 'acme.', customer: '' }

t.test('tags are the attributes that mean nothing to the server', async t => {
  const tags = tagsOf(attributes)
  t.same(tags.map(tagText), ['customer', 'tier: gold'])
  t.same(tags.map(tagFilter), ['customer:', 'tier:gold'])
})

t.test('what was typed replaces the tags, and leaves the other attributes', async t => {
  t.same(attributesTyped(' tier : silver\n\nteam: a:b\nnew\n', attributes), {
    customer: null,
    tier: 'silver',
    team: 'a:b',
    new: '',
  })
  t.same(attributesTyped('', attributes), { customer: null, tier: null })
  t.same(attributesTyped(tagsOf(attributes).map(tagText).join('\n'), attributes), {
    customer: '',
    tier: 'gold',
  })
})
