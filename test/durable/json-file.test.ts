import t from 'tap'
import { readJsonFile } from '../../src/durable/json-file.ts'
import { replaceFile } from '../../src/durable/replace-file.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

t.test('a file of JSON is read, or named with the remedy', async t => {
  const files = new SimulatedDisk()
  const read = () => readJsonFile(files, '/a.json', { remedy: 'Write it again' })
  t.equal(await read(), undefined)
  await replaceFile(files, '/a.json', Buffer.from('{"a":1}\n'))
  t.same(await read(), { a: 1 })
  await replaceFile(files, '/a.json', Buffer.from('{"a":'))
  const message = '/a.json: it is not JSON. Write it again'
  await t.rejects(read(), { name: 'DamageError', message })
})
