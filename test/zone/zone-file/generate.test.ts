import t from 'tap'
import { expandTemplate, parseRange } from '../../../src/zone/zone-file/generate.ts'

t.test('a range counts up to its end, in steps', async t => {
  t.same(parseRange('1-4'), [1, 2, 3, 4])
  t.same(parseRange('0-10/4'), [0, 4, 8])
  t.same(parseRange('7-7'), [7])
  t.equal(parseRange('0-65535').length, 65_536)
  for (const wrong of [
    '',
    '1',
    '2-1',
    '1-2/0',
    '-1-2',
    '1-x',
    '0-65536',
    '2147483647-2147483648',
  ]) {
    t.throws(() => parseRange(wrong), { name: 'FormatError' }, wrong)
  }
})

t.test('a template says where the number goes and how it is written', async t => {
  const rows: readonly [template: string, number: number, text: string][] = [
    ['host-$', 7, 'host-7'],
    ['$-$', 7, '7-7'],
    ['\\$$', 7, '\\$7'],
    ['${0,4}', 7, '0007'],
    ['${-5}', 7, '2'],
    ['${10,5,d}', 7, '00017'],
    ['${0,2,x}', 250, 'fa'],
    ['${0,4,X}', 250, '00FA'],
    ['${0,3,o}', 8, '010'],
    ['a$$$', 7, 'a\\$7'],
    ['${0,4,n}x', 0xa, 'a.0.x'],
    ['${0,7,n}', 0x1234, '4.3.2.1'],
    ['${0,3,N}', 0xab, 'B.A'],
  ]
  for (const [template, number, text] of rows) t.equal(expandTemplate(template, number), text)
  t.throws(() => expandTemplate('${2147483647}', 1), { message: /makes 2147483648/ })
  for (const wrong of ['${}', '${x}', '${1,2,z}', '${-9}']) {
    t.throws(() => expandTemplate(wrong, 7), { name: 'FormatError' }, wrong)
  }
})
