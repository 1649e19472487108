import { metrics } from '../../../src/rating/metrics.ts'
import type { Stories, Story } from './story.ts'

// The rated metrics and the modules that rate them: the same in both APIs.

const info: Story = async (t, { client }) => {
  const list = await client.json('info metric list')
  t.same(
    list,
    metrics.map(({ name, unit, metadata }) => ({ Metric: name, Unit: unit, Metadata: metadata })),
  )
  t.same(await client.json('info metric get image.size'), [
    { Metric: 'image.size', Unit: 'MiB', Metadata: ['container_format', 'disk_format'] },
  ])
  t.match(await client.refusal('info metric get nothing'), /No such metric: nothing.*HTTP 404/)
  const [config] = await client.json('info config get')
  t.equal(config.Section, 'metrics')
  t.same(Object.keys(config.Value).sort(), metrics.map(({ name }) => name).sort())
  t.match(config.Value['dns.zone'], { unit: 'zone' })
}

const modules: Story = async (t, { client, services }) => {
  const rows = [
    { Module: 'hashmap', Enabled: false, Priority: 1 },
    { Module: 'noop', Enabled: true, Priority: 1 },
    { Module: 'pyscripts', Enabled: false, Priority: 1 },
  ]
  t.same(await client.json('module list'), rows)
  t.same(await client.json('module get noop'), [rows[1]])
  t.match(await client.refusal('module get nothing'), /HTTP 404/)
  const hashmap = { Module: 'hashmap', Enabled: true, Priority: 1 }
  t.same(await client.json('module enable hashmap'), [hashmap])
  t.same(await client.json('module set priority hashmap 100'), [{ ...hashmap, Priority: 100 }])
  t.match(services.administration.modules.find('hashmap'), { isEnabled: true, priority: 100 })
  t.same(await client.json('module disable hashmap'), [
    { ...hashmap, Enabled: false, Priority: 100 },
  ])
  t.match(await client.refusal('module enable pyscripts'), /never run.*HTTP 400/)
  t.match(await client.refusal('module set priority hashmap 0'), /HTTP 400/)
}

const pyscripts: Story = async (t, { client }) => {
  const folder = t.testdir({ 'policy.py': 'price = 1\nprint("two lines")\n' })
  const [made] = await client.json(`pyscript create policy ${folder}/policy.py`)
  t.match(made, { Name: 'policy', Data: 'price = 1\nprint("two lines")\n' })
  const id = made['Script ID']
  t.same(await client.json(`pyscript get ${id}`), [made])
  t.same(await client.json('pyscript list'), [made])
  t.same(await client.json('pyscript list -n'), [{ ...made, Data: null }])
  t.match(await client.refusal('pyscript create policy x=1'), /already exists.*HTTP 409/)
  const [changed] = await client.json(`pyscript update ${id} -n tariff -d x=1`)
  t.match(changed, { Name: 'tariff', Data: 'x=1', 'Script ID': id })
  t.not(changed.Checksum, made.Checksum)
  t.match(changed.Checksum, /^[0-9a-f]{128}$/)
  await client.run(`pyscript delete ${id}`)
  t.same(await client.json('pyscript list'), [])
  t.match(await client.refusal(`pyscript get ${id}`), /No such script.*HTTP 404/)
}

const collectors: Story = async (t, { client }) => {
  const row = { Service: 'image.size', Collector: 'gnocchi' }
  t.same(await client.json('collector-mapping create image.size gnocchi'), [row])
  t.same(await client.json('collector-mapping create dns.zone dns'), [
    { Service: 'dns.zone', Collector: 'dns' },
  ])
  t.same(await client.json('collector-mapping list --collector gnocchi'), [row])
  t.equal((await client.json('collector-mapping list')).length, 2)
  t.same(await client.json('collector-mapping get image.size'), [row])
  await client.run('collector-mapping delete image.size')
  t.match(
    await client.refusal('collector-mapping get image.size'),
    /No mapping for service: image.size.*HTTP 404/,
  )
  t.same(await client.json('collector state get dns'), [{ Collector: 'dns', State: false }])
  t.same(await client.json('collector enable dns'), [{ Collector: 'dns', State: true }])
  t.same(await client.json('collector disable dns'), [{ Collector: 'dns', State: false }])
}

/** What is rated, by what, and what is only kept. */
export const moduleStories: Stories = {
  info: info,
  module: modules,
  pyscript: pyscripts,
  collector: collectors,
}
