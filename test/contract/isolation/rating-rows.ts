import type { Row, Rows } from './row.ts'
import { type Things, usageOf } from './things.ts'

const commonToAll = 'it is nobody’s: administrators keep it, or the program has it'
const ofOwner = ({ ids }: Things) => `filters=project_id:${ids.project_id}`
const ofOwnersTenant = ({ ids }: Things) => `tenant_id=${ids.project_id}`
const scope = ({ ids }: Things) => ({ scope_id: ids.project_id })

/** The specification’s rating group and CloudKitty’s second API. */
export const ratingRows: Rows = {
  'GET /rating': {},
  'GET /v2/dataframes': { query: ofOwner },
  'POST /v2/dataframes': { body: ({ ids }) => ({ dataframes: [usageOf(ids.project_id ?? '')] }) },
  'GET /v2/dataframes/export': { query: ofOwner },
  'GET /v2/summary': { query: things => `${ofOwner(things)}&groupby=project_id` },
  'GET /v2/scope': { query: ({ ids }) => `scope_id=${ids.project_id}` },
  'PUT /v2/scope': { body: things => ({ ...scope(things), state: '2026-11-01' }) },
  'POST /v2/scope': { body: scope },
  'PATCH /v2/scope': { body: things => ({ ...scope(things), active: false }) },
  'GET /v2/budgets': { query: ({ ids }) => `project_id=${ids.project_id}` },
  'POST /v2/budgets': {
    body: ({ ids }) => ({ amount: '1.00', project_id: ids.project_id }),
  },
  'GET /v2/budgets/:budget_id': {},
  'PUT /v2/budgets/:budget_id': { body: () => ({ amount: '1.00' }) },
  'DELETE /v2/budgets/:budget_id': {},
  'GET /v2/invoices/:project_id/:month': {
    parameters: ({ ids }) => ({ project_id: ids.project_id ?? '', month: '2026-11' }),
  },
  'GET /v2/prices': {},
  'PUT /v2/prices': { body: () => ({ rules: [] }) },
  'POST /v2/prices/preview': { body: () => ({ month: '2026-11', rules: [] }) },
  'PUT /v2/prices/:model': { parameters: () => ({ model: 'example' }) },
  'GET /v2/rating/modules': {},
  'GET /v2/rating/modules/:module_id': { parameters: () => ({ module_id: 'hashmap' }) },
  'PUT /v2/rating/modules/:module_id': {
    parameters: () => ({ module_id: 'hashmap' }),
    body: () => ({ enabled: false }),
  },
  'GET /v2/task/reprocesses': {},
  'GET /v2/task/reprocesses/:scope_id': {},
  'POST /v2/task/reprocesses': {
    body: ({ ids }) => ({
      scope_ids: ids.scope_id,
      start_reprocess_time: '2026-11-01T00:00:00',
      end_reprocess_time: '2026-11-02T00:00:00',
      reason: 'x',
    }),
  },
}

const service = ({ ids }: Things) => ({ service_id: ids.service_id })
const hashmapRule = (things: Things) => ({ ...service(things), type: 'flat', cost: '1' })
const module: Row = {
  parameters: () => ({ module_id: 'hashmap' }),
  body: () => ({ module_id: 'hashmap', enabled: false, priority: 1 }),
}
const script = { name: 'other', data: 'x' }
const collector: Row = {
  parameters: () => ({ name: 'dns', service: 'dns.queries' }),
  body: () => ({ name: 'dns', service: 'dns.queries', collector: 'dns', enabled: false }),
}

/** A row for each verb of a path, with the same body for those that take one. */
function verbs(path: string, names: string, body?: Row['body']): Rows {
  return Object.fromEntries(
    names.split(' ').map(verb => {
      const isWrite = verb === 'POST' || verb === 'PUT'
      return [`${verb} /rating/v1${path}`, isWrite && body !== undefined ? { body } : {}]
    }),
  )
}

const hashmap = '/billing/module_config/hashmap'
const pyscripts = '/billing/module_config/pyscripts/scripts'

/** CloudKitty’s first API; the paths of its modules go by two names. */
export const ratingV1Rows: Rows = {
  'GET /rating/v1/billing/modules': {},
  'PUT /rating/v1/billing/modules': module,
  'GET /rating/v1/billing/modules/:module_id': { parameters: () => ({ module_id: 'hashmap' }) },
  'PUT /rating/v1/billing/modules/:module_id': module,
  'GET /rating/v1/billing/reload_modules': {},
  'POST /rating/v1/billing/quote': { body: () => ({ resources: [] }) },
  ...verbs('/billing/module_config/noop', 'GET POST PUT DELETE', () => ({})),
  'GET /rating/v1/billing/module_config/hashmap/types': {},
  ...verbs(`${hashmap}/services`, 'GET POST DELETE', () => ({ name: 'other' })),
  ...verbs(`${hashmap}/services/:service_id`, 'GET DELETE'),
  ...verbs(`${hashmap}/fields`, 'GET POST DELETE', things => ({ ...service(things), name: 'x' })),
  ...verbs(`${hashmap}/fields/:field_id`, 'GET DELETE'),
  ...verbs(`${hashmap}/groups`, 'GET POST DELETE', () => ({ name: 'other' })),
  ...verbs(`${hashmap}/groups/:group_id`, 'GET DELETE'),
  ...verbs(`${hashmap}/mappings`, 'GET POST PUT DELETE', hashmapRule),
  ...verbs(`${hashmap}/mappings/:mapping_id`, 'GET PUT DELETE', () => ({ cost: '1' })),
  ...verbs(`${hashmap}/thresholds`, 'GET POST PUT DELETE', things => ({
    ...hashmapRule(things),
    level: '1',
  })),
  ...verbs(`${hashmap}/thresholds/:threshold_id`, 'GET PUT DELETE', () => ({ cost: '1' })),
  ...verbs(`${hashmap}/groups/mappings`, 'GET'),
  ...verbs(`${hashmap}/groups/thresholds`, 'GET'),
  ...verbs(`${hashmap}/groups/:group_id/mappings`, 'GET'),
  ...verbs(`${hashmap}/groups/:group_id/thresholds`, 'GET'),
  ...verbs(`${hashmap}/mappings/group`, 'GET'),
  ...verbs(`${hashmap}/mappings/:mapping_id/group`, 'GET'),
  ...verbs(`${hashmap}/thresholds/group`, 'GET'),
  ...verbs(`${hashmap}/thresholds/:threshold_id/group`, 'GET'),
  ...verbs(pyscripts, 'GET POST PUT DELETE', () => script),
  ...verbs(`${pyscripts}/:script_id`, 'GET PUT DELETE', () => script),
  'GET /rating/v1/collector/mappings': {},
  'POST /rating/v1/collector/mappings': collector,
  'DELETE /rating/v1/collector/mappings': {},
  'GET /rating/v1/collector/mappings/:service': collector,
  'POST /rating/v1/collector/mappings/:service': collector,
  'DELETE /rating/v1/collector/mappings/:service': collector,
  'GET /rating/v1/collector/states': {},
  'PUT /rating/v1/collector/states': collector,
  'GET /rating/v1/collector/states/:name': collector,
  'PUT /rating/v1/collector/states/:name': collector,
  'GET /rating/v1/collector/:name/states': collector,
  'PUT /rating/v1/collector/:name/states': collector,
  'GET /rating/v1/info/config': {},
  'GET /rating/v1/info/metrics': {},
  'GET /rating/v1/info/metrics/:metric_name': {
    parameters: () => ({ metric_name: 'dns.queries' }),
    mayTell: commonToAll,
  },
  'GET /rating/v1/info/services': {},
  'GET /rating/v1/info/services/:service_name': {
    parameters: () => ({ service_name: 'dns.queries' }),
    mayTell: commonToAll,
  },
  'GET /rating/v1/report/summary': { query: ofOwnersTenant },
  'GET /rating/v1/report/tenants': {},
  'GET /rating/v1/report/total': { query: ofOwnersTenant },
  'GET /rating/v1/storage/dataframes': { query: ofOwnersTenant },
}
