import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { typeCode, typeMnemonic } from '../../../src/dns/rdata/index.ts'

t.test('a type is known by its mnemonic in any case, or by its number', async t => {
  t.equal(typeCode('MX'), 15)
  t.equal(typeCode('mx'), 15)
  t.equal(typeCode('Https'), 65)
  t.equal(typeCode('TYPE15'), 15)
  t.equal(typeCode('type0'), 0)
  t.equal(typeCode('TYPE65535'), 65535)
})

t.test('what is no type is undefined', async t => {
  const texts = ['', 'MXX', 'TYPE', 'TYPE65536', 'TYPE-1', 'TYPE015', 'TYPE1.5', ' MX', 'toString']
  for (const text of texts) t.equal(typeCode(text), undefined, text)
})

t.test('every code has a mnemonic, and comes back from it', async t => {
  for (const [mnemonic, code] of Object.entries(types)) {
    t.equal(typeMnemonic(code), mnemonic)
    t.equal(typeCode(mnemonic), code)
  }
  t.equal(typeMnemonic(1234), 'TYPE1234')
  for (let code = 0; code <= 0xffff; code += 1) {
    if (typeCode(typeMnemonic(code)) !== code) t.fail(`TYPE${code}`)
  }
})
