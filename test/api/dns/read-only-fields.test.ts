import t from 'tap'
import { dialectPlaces } from '../../helpers/dialects.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })

const stateFields = ['status', 'action', 'status_reason', 'version', 'created_at', 'updated_at']
const zoneFields = ['id', 'pool_id', 'project_id', 'serial', 'shared', 'transferred_at', 'links']
const recordsetFields = ['id', 'zone_id', 'zone_name', 'project_id', 'links']
const commonFields = ['id', 'created_at', 'updated_at', 'links']

/** Another value of the same kind. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value === 'object' && value !== null) return {}
  return '11111111-2222-3333-4444-555555555555'
}

for (const { dialect, base } of dialectPlaces) {
  const zoneOf = async (label: string, body: object = {}) => {
    const zone = { name: `${label}-${dialect}.example.`, email: 'ops@example.com', ...body }
    const { id } = (await one.post(`${base}/zones`, zone)).body
    const path = `${base}/zones/${id}`
    return { path, shown: (await one.get(path)).body }
  }

  t.test(`${dialect}: a zone can be sent back as it is shown, with what is to change`, async t => {
    const { path, shown } = await zoneOf('whole', { attributes: { tier: 'gold' } })
    const changed = await one.patch(path, { ...shown, description: 'other' })
    t.ok([200, 202].includes(changed.status), changed.text)
    t.equal((await one.get(path)).body.description, 'other')
  })

  t.test(`${dialect}: a SECONDARY zone can be sent back as well`, async t => {
    const body = { type: 'SECONDARY', email: null, masters: ['192.0.2.1'] }
    const { path, shown } = await zoneOf('secondary', body)
    t.ok((await one.patch(path, { ...shown, description: 'other' })).status < 300)
  })

  t.test(`${dialect}: no field that is only shown can be changed`, async t => {
    const { path, shown } = await zoneOf('refused')
    for (const field of [...zoneFields, ...stateFields]) {
      t.ok(field in shown, `${field} is shown`)
      const body = { description: 'other', [field]: otherThan(shown[field]) }
      const errors = { errors: [{ path: [field], validator: 'immutable' }] }
      t.match(await one.patch(path, body), {
        status: 400,
        body: { type: 'invalid_object', errors },
      })
    }
    t.same((await one.get(path)).body, shown)
  })

  t.test(`${dialect}: nor one of a recordset, which can be sent back too`, async t => {
    const { path: zonePath } = await zoneOf('records')
    const name = `www.records-${dialect}.example.`
    const record = { name, type: 'A', records: ['192.0.2.1'] }
    const { id } = (await one.post(`${zonePath}/recordsets`, record)).body
    const path = `${zonePath}/recordsets/${id}`
    const shown = (await one.get(path)).body
    for (const field of [...recordsetFields, ...stateFields]) {
      t.ok(field in shown, `${field} is shown`)
      const body = { ttl: 60, [field]: otherThan(shown[field]) }
      t.match(await one.put(path, body), { status: 400, body: { type: 'invalid_object' } }, field)
    }
    t.same((await one.get(path)).body, shown)
    t.ok((await one.put(path, { ...shown, ttl: 60 })).status < 300)
    t.equal((await one.get(path)).body.ttl, 60)
  })

  t.test(`${dialect}: a pool_id in a new zone is not looked at`, async t => {
    const pool_id = '11111111-2222-3333-4444-555555555555'
    const { shown } = await zoneOf('pooled', { pool_id })
    t.not(shown.pool_id, pool_id)
    const body = { name: 'p.example.', email: 'ops@example.com', pool_id: 'none' }
    t.match(await one.post(`${base}/zones`, body), { status: 400 })
  })

  const poolId = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
  const key = { name: `key-${dialect}`, algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }
  const kept: [plural: string, body: object, changes: object, fields: readonly string[]][] = [
    [
      'pools',
      { name: `pool-${dialect}` },
      { description: 'other' },
      [...commonFields, 'project_id'],
    ],
    ['blacklists', { pattern: dialect }, { description: 'other' }, commonFields],
    ['tlds', { name: dialect }, { description: 'other' }, commonFields],
    [
      'tsigkeys',
      { ...key, scope: 'POOL', resource_id: poolId },
      { algorithm: 'hmac-sha512' },
      commonFields,
    ],
  ]
  for (const [plural, body, changes, fields] of kept) {
    t.test(`${dialect}: what administrators keep can be sent back, too: ${plural}`, async t => {
      const { body: made } = await api.admin.post(`${base}/${plural}`, body)
      const path = `${base}/${plural}/${made.id}`
      const changed = await api.admin.patch(path, { ...made, ...changes })
      t.ok([200, 202].includes(changed.status), changed.text)
      const { body: shown } = await api.admin.get(path)
      t.same(shown, { ...made, ...changes, updated_at: shown.updated_at })
      for (const field of fields) {
        const refused = await api.admin.patch(path, { [field]: otherThan(shown[field]) })
        t.equal(refused.status, 400, field)
        t.match(refused.body.errors?.errors, [{ path: [field], validator: 'immutable' }], field)
      }
      t.same((await api.admin.get(path)).body, shown)
      await api.admin.delete(path)
    })
  }
}
