import type { Stories, Story } from './story.ts'

// The rules that put prices on usage: the same in both APIs.

const parents: Story = async (t, { client }) => {
  t.same(await client.json('hashmap mapping-types list'), [
    { 'Mapping types': 'flat' },
    { 'Mapping types': 'rate' },
  ])
  t.same(await client.json('hashmap service list'), [], 'nothing has a price to begin with')
  const [service] = await client.json('hashmap service create dns.zone')
  t.match(service, { Name: 'dns.zone', 'Service ID': /^[0-9a-f-]{36}$/ })
  const serviceId = service['Service ID']
  t.same(await client.json('hashmap service list'), [service])
  t.same(await client.json(`hashmap service get ${serviceId}`), [service])
  t.match(
    await client.refusal('hashmap service create dns.zone'),
    new RegExp(`Service dns.zone already exists \\(UUID: ${serviceId}\\).*HTTP 409`),
  )
  t.match(await client.refusal('hashmap service get zone'), /field\/attribute service_id.*HTTP 400/)

  const [field] = await client.json(`hashmap field create ${serviceId} pool_id`)
  const fieldId = field['Field ID']
  t.match(field, { Name: 'pool_id', 'Service ID': serviceId })
  t.same(await client.json(`hashmap field list ${serviceId}`), [field])
  t.same(await client.json(`hashmap field get ${fieldId}`), [field])
  t.match(await client.refusal(`hashmap field create ${fieldId} x`), /No such service.*HTTP 400/)
  t.match(await client.refusal(`hashmap field create ${serviceId} pool_id`), /HTTP 409/)

  await client.json(`hashmap mapping create --field-id ${fieldId} --value a 1`)
  await client.run(`hashmap field delete ${fieldId}`)
  t.same(await client.json(`hashmap field list ${serviceId}`), [])
  t.same(await client.json(`hashmap mapping list --field-id ${fieldId}`), [], 'rules go with it')
  await client.run(`hashmap service delete ${serviceId}`)
  t.match(await client.refusal(`hashmap service get ${serviceId}`), /No such service.*HTTP 404/)
}

const mappings: Story = async (t, { client }) => {
  const [service] = await client.json('hashmap service create dns.queries')
  const serviceId = service['Service ID']
  const [field] = await client.json(`hashmap field create ${serviceId} rcode`)
  const fieldId = field['Field ID']
  const [group] = await client.json('hashmap group create queries')
  const groupId = group['Group ID']

  const [flat] = await client.json(`hashmap mapping create -s ${serviceId} -g ${groupId} 0.4`)
  t.match(flat, {
    Value: null,
    Cost: '0.4',
    Type: 'flat',
    'Field ID': null,
    'Service ID': serviceId,
    'Group ID': groupId,
    'Project ID': null,
  })
  const [free] = await client.json(
    `hashmap mapping create --field-id ${fieldId} --value NXDOMAIN -t rate -p p1 0`,
  )
  t.match(free, { Value: 'NXDOMAIN', Cost: '0', Type: 'rate', 'Project ID': 'p1' })
  const id = free['Mapping ID']
  t.same(await client.json(`hashmap mapping get ${id}`), [free])
  t.match(
    await client.refusal(`hashmap mapping create --field-id ${fieldId} --value NXDOMAIN -p p1 1`),
    /Mapping 'NXDOMAIN' already exists for field '[0-9a-f-]+', tenant: 'p1'.*HTTP 409/,
  )
  t.match(await client.refusal(`hashmap mapping create -s ${serviceId} nan`), /HTTP 400/)
  t.match(await client.refusal(`hashmap mapping create -s ${serviceId} 1e39`), /cost.*HTTP 400/)

  t.same(await client.json(`hashmap mapping list -s ${serviceId}`), [flat])
  t.same(await client.json(`hashmap mapping list -g ${groupId}`), [flat])
  t.same(await client.json(`hashmap mapping list -s ${serviceId} --no-group`), [])
  t.same(await client.json(`hashmap mapping list --field-id ${fieldId}`), [free])
  t.same(await client.json(`hashmap mapping list --field-id ${fieldId} --filter-tenant`), [])
  t.same(await client.json(`hashmap mapping list --field-id ${fieldId} --filter-tenant -p p1`), [
    free,
  ])

  const changes = `--cost 0.125 --value REFUSED -g ${groupId} -p p2`
  const [changed] = await client.json(`hashmap mapping update ${id} ${changes}`)
  const after = { ...free, Value: 'REFUSED', Cost: '0.125', 'Group ID': groupId }
  t.same(changed, { ...after, 'Project ID': 'p2' })
  t.match(await client.refusal(`hashmap mapping update ${id} -s ${serviceId}`), /HTTP 400/)

  const inGroup = await client.json(`hashmap group mappings get ${groupId}`)
  t.same(inGroup, [flat, changed])
  await client.run(`hashmap mapping delete ${id}`)
  t.same(await client.json(`hashmap group mappings get ${groupId}`), [flat])
  t.match(await client.refusal(`hashmap mapping delete ${id}`), /No such mapping.*HTTP 404/)

  t.same(await client.json('hashmap group list'), [group])
  t.match(await client.refusal('hashmap group create queries'), /HTTP 409/)
  await client.run(`hashmap group delete ${groupId}`)
  t.same(await client.json(`hashmap mapping list -s ${serviceId}`), [{ ...flat, 'Group ID': null }])
  await client.run(`hashmap service delete ${serviceId}`)
}

const thresholds: Story = async (t, { client }) => {
  const [service] = await client.json('hashmap service create dns.bytes')
  const serviceId = service['Service ID']
  const [field] = await client.json(`hashmap field create ${serviceId} zones`)
  const fieldId = field['Field ID']
  const [group] = await client.json('hashmap group create bytes')
  const groupId = group['Group ID']

  const [many] = await client.json(
    `hashmap threshold create -s ${serviceId} -g ${groupId} -t rate 200 0.95`,
  )
  t.match(many, {
    Level: '200',
    Cost: '0.95',
    Type: 'rate',
    'Field ID': null,
    'Service ID': serviceId,
    'Group ID': groupId,
    'Project ID': null,
  })
  const [few] = await client.json(`hashmap threshold create --field-id ${fieldId} -p p1 0.5 1`)
  t.match(few, { Level: '0.5', Cost: '1', Type: 'flat', 'Field ID': fieldId, 'Project ID': 'p1' })
  const id = few['Threshold ID']
  t.same(await client.json(`hashmap threshold get ${id}`), [few])
  t.match(
    await client.refusal(`hashmap threshold create -s ${serviceId} -g ${groupId} 200.0 1`),
    /Threshold '200' already exists for service.*HTTP 409/,
  )
  t.match(
    await client.refusal(`hashmap threshold create -s ${serviceId} high 1`),
    /level.*HTTP 400/,
  )

  t.same(await client.json(`hashmap threshold list -s ${serviceId}`), [many])
  t.same(await client.json(`hashmap threshold list -g ${groupId}`), [many])
  t.same(await client.json(`hashmap threshold list -s ${serviceId} --no-group`), [])
  t.same(await client.json(`hashmap threshold list --field-id ${fieldId} --filter-tenant -p p1`), [
    few,
  ])
  const [changed] = await client.json(
    `hashmap threshold update ${id} -l 0.75 --cost 2 -g ${groupId} -p p2`,
  )
  const after = { ...few, Level: '0.75', Cost: '2', 'Group ID': groupId, 'Project ID': 'p2' }
  t.same(changed, after)
  t.same(await client.json(`hashmap group thresholds get ${groupId}`), [many, changed])
  await client.run(`hashmap threshold delete ${id}`)
  t.match(await client.refusal(`hashmap threshold get ${id}`), /No such threshold.*HTTP 404/)

  await client.run(`hashmap group delete --recursive ${groupId}`)
  t.same(await client.json(`hashmap threshold list -s ${serviceId}`), [])
  t.same(await client.json('hashmap group list'), [])
  await client.run(`hashmap service delete ${serviceId}`)
}

/** All of the hashmap. */
export const hashmapStories: Stories = {
  'hashmap service, field': parents,
  'hashmap mapping, group': mappings,
  'hashmap threshold, group': thresholds,
}
