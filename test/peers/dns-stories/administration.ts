import { types } from '../../../src/dns/codes.ts'
import { formatRdata } from '../../../src/dns/rdata/index.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { queryUdp } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'
import type { Stories, Story } from './story.ts'

export const administrationStories: Stories = {
  'zone blacklist create, list, show, set, delete': async (t, { admin, token }) => {
    const made = await admin.json('zone blacklist create --pattern ^evil\\. --description Bad')
    t.match(made, { pattern: '^evil\\.', description: 'Bad' })
    t.match(await token.json('zone blacklist list'), [{ id: made.id, pattern: '^evil\\.' }])
    const lookaround = `zone blacklist set ${made.id} --pattern ^(?!www)`
    t.match(await token.refusal(lookaround), /lookaround '\(\?!' is not possible/)
    const changed = await token.json(`zone blacklist set ${made.id} --pattern ^worse\\.`)
    t.match(changed, { id: made.id, pattern: '^worse\\.', description: 'Bad' })
    t.match(await token.json(`zone blacklist show ${made.id}`), changed)
    await token.run(`zone blacklist delete ${made.id}`)
    t.match(await token.refusal(`zone blacklist show ${made.id}`), /Could not find Blacklist/)
  },

  'tsigkey create, list, show, set, delete': async (t, { admin, token }) => {
    const made = await admin.json(
      `tsigkey create --name transfer --algorithm hmac-sha256 --secret c2VjcmV0 --scope POOL --resource-id ${defaultPoolId}`,
    )
    const fields = { algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }
    t.match(made, { name: 'transfer', ...fields, resource_id: defaultPoolId })
    t.match(await token.json('tsigkey list --scope POOL'), [{ id: made.id, ...fields }])
    const changed = await token.json('tsigkey set transfer --algorithm hmac-sha512')
    t.match(changed, { id: made.id, algorithm: 'hmac-sha512', secret: 'c2VjcmV0' })
    t.match(await token.json('tsigkey show transfer'), { id: made.id })
    await token.run('tsigkey delete transfer')
    t.match(await token.refusal(`tsigkey show ${made.id}`), /Could not find TsigKey/)
  },

  'dns quota list, set, reset': async (t, { server, admin, member, sudoer }) => {
    const { project } = await server.json<{ project: { id: string } }>(
      'POST',
      '/identity/v3/projects',
      { project: { name: 'another', domain_id: 'default' } },
    )
    const defaults = {
      api_export_size: 1000,
      recordset_records: 20,
      zone_records: 500,
      zone_recordsets: 500,
      zones: 10,
    }
    t.same(await member.json('dns quota list'), defaults)
    const other = `--project-id ${project.id} --all-projects`
    const set = `dns quota set ${other} --zones 0 --zone-records 7`
    t.match(await member.refusal(set), /needs the role admin/)
    t.same(await admin.json(set), { ...defaults, zones: 0, zone_records: 7 })
    t.match(await admin.json(`dns quota list ${other}`), { zones: 0, zone_records: 7 })
    const sudo = `--sudo-project-id ${project.id}`
    t.match(
      await sudoer.refusal(`zone create full.example. --email ops@example.com ${sudo}`),
      /Quota exceeded for zones/,
    )
    await admin.run(`dns quota reset ${other}`)
    t.same(await admin.json(`dns quota list ${other}`), defaults)
  },

  'dns service list, show': async (t, { admin, member }) => {
    const list = () => admin.json('dns service list --service_name mdns')
    const [service] = await until(list, rows => rows[0]?.status === 'UP')
    t.match(service, { service_name: 'mdns', stats: /listen/, capabilities: '-' })
    const shown = await admin.json(`dns service show ${service.id}`)
    t.match(shown, { ...service, heartbeated_at: /^\d{4}-.*\.\d{6}$/ })
    t.same(await admin.json('dns service list --status DOWN'), [])
    t.match(await member.refusal('dns service list'), /needs the role admin/)
  },

  'ptr record list, set, show, unset': async (t, { server, member, betaId }) => {
    const { id } = await server.json<{ id: string }>('POST', '/v2/reverse/floatingips', {
      region: 'RegionOne',
      address: '192.0.2.80',
      project_id: betaId,
    })
    const served = async (): Promise<string[]> => {
      const question = { name: '80.2.0.192.in-addr.arpa.', type: types.PTR }
      const { answers } = await queryUdp(server.endpoint(), question)
      return answers.map(({ type, rdata }) => formatRdata(type, rdata))
    }
    t.match(await member.json('ptr record list'), [{ id, ptrdname: '' }])
    const set = `ptr record set ${id} www.example. --ttl 60 --description Web`
    const named = { id, ptrdname: 'www.example.', ttl: 60, description: 'Web' }
    t.match(await member.json(set), { ...named, address: '192.0.2.80', status: 'PENDING' })
    t.same(await served(), ['www.example.'])
    t.match(await member.json(`ptr record show ${id}`), { ...named, status: 'ACTIVE' })
    t.match(await member.json('ptr record list'), [named])
    t.equal(await member.run(`ptr record unset ${id}`), '')
    t.same(await served(), [])
    t.match(await member.json(`ptr record show ${id}`), { id, ptrdname: null })
  },
}

/** While TLDs exist, zones can only be created below them, so this runs after the other stories. */
export const tldStory: Story = async (t, { admin, token }) => {
  const made = await admin.json('tld create --name example --description', 'For examples')
  t.match(made, { name: 'example', description: 'For examples', updated_at: null })
  t.match(await token.json('tld list --name example'), [{ id: made.id, name: 'example' }])
  t.match(await token.refusal('tld create --name EXAMPLE'), /Duplicate Tld/)
  t.match(await token.json('tld set example --no-description'), { description: null })
  t.match(await token.json('tld show example'), { id: made.id, name: 'example' })
  const elsewhere = 'zone create shop.invalid. --email ops@example.com'
  t.match(await admin.refusal(elsewhere), /Invalid TLD/)
  await token.run('tld delete example')
  t.match(await token.refusal(`tld show ${made.id}`), /Could not find Tld/)
}
