import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { zoneFromText, zonesFromText } from '../zone.ts'
import { ZoneSet } from './zone-set.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'

function found(zones: ZoneSet, qname: string): string | undefined {
  const zone = zones.find(parseName(qname))
  return zone === undefined ? undefined : formatName(zone.apex)
}

t.test('find: the longest apex that the name is at or below', async t => {
  const zones = zonesFromText(`example. ${soa}`, `sub.example. ${soa}`)
  t.equal(found(zones, 'example.'), 'example.')
  t.equal(found(zones, 'a.b.example.'), 'example.')
  t.equal(found(zones, 'sub.example.'), 'sub.example.')
  t.equal(found(zones, 'a.sub.example.'), 'sub.example.')
  t.equal(found(zones, 'asub.example.'), 'example.')
})

t.test('find: nothing above or beside the zones', async t => {
  const zones = zonesFromText(`sub.example. ${soa}`)
  t.equal(found(zones, 'example.'), undefined)
  t.equal(found(zones, '.'), undefined)
  t.equal(found(zones, 'sub.test.'), undefined)
})

t.test('find: compares labels, not characters', async t => {
  const zones = zonesFromText(`b.example. ${soa}`)
  t.equal(found(zones, 'a\\.b.example.'), undefined)
  t.equal(found(zones, 'a\\001b.example.'), undefined)
})

t.test('find: the root zone catches what is left', async t => {
  const zones = zonesFromText(`. ${soa}`, `example. ${soa}`)
  t.equal(found(zones, 'www.test.'), '.')
  t.equal(found(zones, '.'), '.')
  t.equal(found(zones, 'www.example.'), 'example.')
})

t.test('publish: replaces, withdraw: removes, both in any case', async t => {
  const zones = new ZoneSet()
  const first = zoneFromText(`Example. ${soa}`)
  const second = zoneFromText(`example. ${soa}`)
  zones.publish(first)
  zones.publish(second)
  t.equal(zones.size, 1)
  t.equal(zones.get(parseName('EXAMPLE.')), second)
  t.same([...zones], [second])
  t.equal(zones.withdraw(parseName('eXample.')), true)
  t.equal(zones.withdraw(parseName('example.')), false)
  t.equal(zones.get(parseName('example.')), undefined)
  t.equal(zones.size, 0)
})
