import t from 'tap'
import { templates } from '../../src/console/records/templates.ts'
import { checkRecords } from '../../src/model/record-values.ts'

t.test('the server takes the records of every template', async t => {
  for (const { name, drafts } of templates) {
    const made = drafts('example.com.')
    t.ok(made.length > 0, name)
    for (const { type, records } of made)
      t.equal(checkRecords(type, records).records.length, records.length)
    const keys = made.map(draft => `${draft.name} ${draft.type}`)
    t.equal(new Set(keys).size, keys.length, 'each name and type once')
  }
})
