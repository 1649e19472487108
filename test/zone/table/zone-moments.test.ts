import t from 'tap'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { ZoneMoments } from '../../../src/zone/table/zone-moments.ts'
import { signZone } from '../../helpers/sign-zone.ts'
import { rrsetsFromText } from '../../helpers/zone.ts'
import { createZone, openTable } from '../../helpers/zone-table.ts'

const textOf = (apex: string) => `
  ${apex}. 300 SOA ns1 hostmaster 1 7200 900 1209600 300
  a        60  A   192.0.2.1
`

const nothing = () => undefined

function open() {
  const table = openTable()
  const signed = (apex: string) =>
    createZone(table, signZone(rrsetsFromText(textOf(apex)), { denial: 'nsec' }))
  const moments = new ZoneMoments(new TableMemory(table.memory), 2)
  return { zone: signed('one'), other: signed('other'), moments }
}

t.test('what is read across a change is not of one moment', async t => {
  const { zone, other, moments } = open()
  for (const { ref } of [zone, other, zone]) t.ok(moments.note(ref))
  t.ok(moments.areCurrent)
  t.notOk(zone.changeTogether(nothing), 'nobody has waited')
  t.notOk(moments.areCurrent)
  moments.clear()
  t.ok(moments.areCurrent)
  t.ok(moments.note(zone.ref))
  other.changeTogether(nothing)
  t.ok(moments.areCurrent, 'the other has changed')
  zone.changeTogether(() => t.notOk(moments.areCurrent, 'it is being changed'))
})

t.test('a change within a change is part of it, and one that fails is over', async t => {
  const { zone, moments } = open()
  const change = () => {
    zone.changeTogether(nothing)
    t.notOk(moments.areCurrent)
    throw new Error('failed')
  }
  t.ok(moments.note(zone.ref))
  t.throws(() => zone.changeTogether(change), /failed/)
  moments.clear()
  t.ok(moments.note(zone.ref))
  t.ok(moments.areCurrent)
})

t.test('a zone without signatures is changed as well', async t => {
  const zone = createZone(openTable(), rrsetsFromText(textOf('plain')))
  let isChanged = false
  zone.changeTogether(() => {
    isChanged = true
  })
  t.ok(isChanged)
})
