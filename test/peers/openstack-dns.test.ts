import t, { type Test } from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { testAdminPassword, testAdminToken } from '../helpers/api.ts'
import { startDnsApi } from '../helpers/dns-api.ts'
import { inParallel } from '../helpers/in-parallel.ts'
import { Openstack } from './openstack.ts'

// `openstack` with its DNS commands against Designate's paths: zones, record sets, and what administrators keep.
// A call takes the client a second, so stories that have nothing in common are told two at a time.

t.setTimeout(300_000)

const { api } = await startDnsApi(t)
const { url } = api
const byPassword = Openstack.withPassword({
  url,
  user: 'admin',
  password: testAdminPassword,
  project: 'admin',
})
/** Without Keystone: a token, and the address of the API itself. */
const byToken = new Openstack({
  OS_AUTH_TYPE: 'admin_token',
  OS_ENDPOINT: `${url}/dns/v2`,
  OS_TOKEN: testAdminToken,
})

const stories: Readonly<Record<string, (t: Test) => Promise<void>>> = {
  'zone create, list, show, set, delete': async t => {
    const made = await byPassword.json(
      'zone create shop.example. --email ops@example.com --ttl 300 --description',
      'The shop',
    )
    t.match(made, {
      name: 'shop.example.',
      email: 'ops@example.com',
      ttl: 300,
      description: 'The shop',
      status: 'PENDING',
      action: 'CREATE',
      masters: '',
      attributes: '',
      type: 'PRIMARY',
      pool_id: defaultPoolId,
      version: 1,
    })
    const [list] = await byToken.json('zone list --name shop.example.')
    t.match(list, { id: made.id, name: 'shop.example.', status: 'ACTIVE', action: 'NONE' })
    t.match(await byToken.json('zone show shop.example.'), { id: made.id, status: 'ACTIVE' })
    const changed = await byToken.json('zone set shop.example. --ttl 60 --no-description')
    t.match(changed, { ttl: 60, description: null, status: 'PENDING', action: 'UPDATE' })
    t.match(
      await byPassword.refusal('zone create SHOP.example. --email ops@example.com'),
      /Duplicate Zone/,
    )
    t.match(await byPassword.json('zone delete shop.example.'), {
      id: made.id,
      status: 'PENDING',
      action: 'DELETE',
    })
    t.match(await byPassword.refusal('zone show shop.example.'), /didn't resolve/)
  },

  'a SECONDARY zone, and zone abandon': async t => {
    const made = await byToken.json(
      'zone create copy.example. --type SECONDARY --masters 192.0.2.1',
    )
    t.match(made, { type: 'SECONDARY', masters: '192.0.2.1', email: null, ttl: null })
    await byToken.json('zone set copy.example. --masters 192.0.2.2 192.0.2.3:5300')
    const { masters } = await byToken.json('zone show copy.example.')
    t.equal(masters, '192.0.2.2, 192.0.2.3:5300')
    t.equal(await byToken.run('zone abandon copy.example.'), '')
    t.match(await byToken.refusal('zone show copy.example.'), /didn't resolve/)
  },

  'recordset create, list, show, set, delete': async t => {
    await byToken.run('zone create records.example. --email ops@example.com')
    const made = await byPassword.json(
      'recordset create records.example. www --type A --record 192.0.2.2 --record 192.0.2.1',
    )
    t.match(made, {
      name: 'www.records.example.',
      type: 'A',
      records: '192.0.2.2\n192.0.2.1',
      status: 'PENDING',
      action: 'CREATE',
      zone_name: 'records.example.',
      ttl: null,
    })
    const list = await byToken.json('recordset list records.example. --type A')
    t.match(list, [{ id: made.id, records: '192.0.2.2\n192.0.2.1', status: 'ACTIVE' }])
    const place = 'records.example. www.records.example.'
    const changed = await byToken.json(`recordset set ${place} --record 192.0.2.9 --ttl 30`)
    t.match(changed, { records: '192.0.2.9', ttl: 30, action: 'UPDATE', version: 2 })
    t.match(await byToken.json(`recordset show ${place}`), { id: made.id, status: 'ACTIVE' })
    const second = 'recordset create records.example. www --type CNAME --record a.example.'
    t.match(await byToken.refusal(second), /CNAME/)
    t.match(await byToken.json(`recordset delete ${place}`), { id: made.id, action: 'DELETE' })
    t.match(await byToken.refusal(`recordset show ${place}`), /didn't resolve/)
  },

  'tld create, list, show, set, delete': async t => {
    // No zone can be created beside it while there is one, so this is about the name alone.
    const made = await byPassword.json('tld create --name example --description', 'For examples')
    t.match(made, { name: 'example', description: 'For examples', updated_at: null })
    t.match(await byToken.json('tld list --name example'), [{ id: made.id, name: 'example' }])
    t.match(await byToken.refusal('tld create --name EXAMPLE'), /Duplicate Tld/)
    t.match(await byToken.json('tld set example --no-description'), { description: null })
    t.match(await byToken.json('tld show example'), { id: made.id, name: 'example' })
    await byToken.run('tld delete example')
    t.match(await byToken.refusal(`tld show ${made.id}`), /Could not find Tld/)
  },

  'zone blacklist create, list, show, set, delete': async t => {
    const made = await byPassword.json('zone blacklist create --pattern ^evil\\. --description Bad')
    t.match(made, { pattern: '^evil\\.', description: 'Bad' })
    t.match(await byToken.json('zone blacklist list'), [{ id: made.id, pattern: '^evil\\.' }])
    const lookaround = `zone blacklist set ${made.id} --pattern ^(?!www)`
    t.match(await byToken.refusal(lookaround), /lookaround '\(\?!' is not possible/)
    const changed = await byToken.json(`zone blacklist set ${made.id} --pattern ^worse\\.`)
    t.match(changed, { id: made.id, pattern: '^worse\\.', description: 'Bad' })
    t.match(await byToken.json(`zone blacklist show ${made.id}`), changed)
    await byToken.run(`zone blacklist delete ${made.id}`)
    t.match(await byToken.refusal(`zone blacklist show ${made.id}`), /Could not find Blacklist/)
  },

  'tsigkey create, list, show, set, delete': async t => {
    const made = await byPassword.json(
      `tsigkey create --name transfer --algorithm hmac-sha256 --secret c2VjcmV0 --scope POOL --resource-id ${defaultPoolId}`,
    )
    const fields = { algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }
    t.match(made, { name: 'transfer', ...fields, resource_id: defaultPoolId })
    t.match(await byToken.json('tsigkey list --scope POOL'), [{ id: made.id, ...fields }])
    const changed = await byToken.json('tsigkey set transfer --algorithm hmac-sha512')
    t.match(changed, { id: made.id, algorithm: 'hmac-sha512', secret: 'c2VjcmV0' })
    t.match(await byToken.json('tsigkey show transfer'), { id: made.id })
    await byToken.run('tsigkey delete transfer')
    t.match(await byToken.refusal(`tsigkey show ${made.id}`), /Could not find TsigKey/)
  },

  'dns quota list, set, reset': async t => {
    const defaults = {
      api_export_size: 1000,
      recordset_records: 20,
      zone_records: 500,
      zone_recordsets: 500,
      zones: 10,
    }
    t.same(await byPassword.json('dns quota list'), defaults)
    const other = '--project-id another --all-projects'
    const set = `dns quota set ${other} --zones 0 --zone-records 7`
    t.same(await byPassword.json(set), { ...defaults, zones: 0, zone_records: 7 })
    const sudo = '--sudo-project-id another'
    t.match(await byPassword.json(`dns quota list ${other}`), { zones: 0, zone_records: 7 })
    t.match(
      await byPassword.refusal(`zone create full.example. --email ops@example.com ${sudo}`),
      /Quota exceeded for zones/,
    )
    await byPassword.run(`dns quota reset ${other}`)
    t.same(await byPassword.json(`dns quota list ${other}`), defaults)
  },
}

// TLDs change which zones there can be, so that story waits until the others are over.
const { 'tld create, list, show, set, delete': tldStory, ...others } = stories

t.test('every command for zones, record sets and what administrators keep', async t => {
  await inParallel(2, Object.entries(others), async ([name, story]) => {
    await t.test(name, story)
  })
  await t.test('tld create, list, show, set, delete', async t => tldStory?.(t))
})
