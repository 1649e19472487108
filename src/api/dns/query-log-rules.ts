import { Type } from 'typebox'
import type { QueryLogRule } from '../../model/query-log-rule.ts'
import type { QueryLogRules } from '../../service/operations/query-log-rules.ts'
import {
  component,
  listOf,
  oneOf,
  orNull,
  requestBody,
  selfLink,
  text,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'
import { actorView } from './actor.view.ts'
import { descriptionField } from './field-schemas.ts'
import { actorAnswer } from './history.answers.ts'

const maxSeconds = 7 * 86_400

const ruleAnswer = component('QueryLogRule', {
  id: uuid,
  zone_id: orNull(uuid),
  zone_name: orNull(text('example.com.')),
  client: orNull(text('192.0.2.0/24')),
  sampled_of: whole(1),
  description: orNull(text('NXDOMAIN flood')),
  status: oneOf('ACTIVE', 'OVER'),
  started_at: timestamp,
  ends_at: timestamp,
  started_by: actorAnswer,
  ended_by: actorAnswer,
  links: selfLink,
})

const startSchema = requestBody('query_log_rule', {
  zone_id: Type.Optional(uuid),
  client: Type.Optional(Type.String({ minLength: 1, maxLength: 50, examples: ['192.0.2.0/24'] })),
  sampled_of: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  seconds: Type.Integer({ minimum: 1, maximum: maxSeconds, examples: [600] }),
  description: Type.Optional(descriptionField),
})

const path = '/query_log_rules'

/** What is written to the query log for some time, and what was. */
export function queryLogRuleRoutes(rules: QueryLogRules): readonly Route[] {
  return [
    route(`GET ${path}`, {
      rule: 'manage_query_log',
      summary: 'Lists the rules of the query log, those that are over too',
      answers: { 200: Type.Object({ query_log_rules: listOf(ruleAnswer), links: selfLink }) },
      respond(context) {
        const rows = rules.list().map(row => viewOf(rules, row, context))
        const links = { self: `${context.baseUrl}${path}` }
        return { query_log_rules: rows, links }
      },
    }),
    route(`POST ${path}`, {
      rule: 'manage_query_log',
      summary: 'Has queries of a zone, of a client, or all written to the query log for some time',
      answers: { 201: ruleAnswer },
      refusals: ['bad_request', 'zone_not_found', 'over_quota'],
      bodySchema: startSchema,
      async respond(context) {
        const { zone_id, client = null, sampled_of = 1, description = null, seconds } = context.body
        const zoneId = zone_id === undefined ? null : canonicalId(zone_id)
        const row = await rules.start({
          zoneId,
          client,
          sampledOf: sampled_of,
          description,
          seconds,
        })
        return viewOf(rules, row, context)
      },
    }),
    route(`GET ${path}/:rule_id`, {
      rule: 'manage_query_log',
      summary: 'Shows a rule of the query log',
      answers: { 200: ruleAnswer },
      refusals: ['not_found'],
      respond: context => viewOf(rules, rules.get(context.id('rule_id')), context),
    }),
    route(`DELETE ${path}/:rule_id`, {
      rule: 'manage_query_log',
      summary: 'Ends a rule of the query log before its time; it is still listed',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: context => rules.end(context.id('rule_id')),
    }),
  ]
}

function viewOf(rules: QueryLogRules, row: QueryLogRule, { baseUrl }: RequestContext): object {
  const { id, zoneId, zoneName, client, sampledOf, description, createdAt, endsAt } = row
  return {
    id,
    zone_id: zoneId,
    zone_name: zoneName,
    client,
    sampled_of: sampledOf,
    description,
    status: rules.isActive(row) ? 'ACTIVE' : 'OVER',
    started_at: formatTimestamp(createdAt),
    ends_at: formatTimestamp(endsAt),
    started_by: actorView(row.startedBy),
    ended_by: row.endedBy && actorView(row.endedBy),
    links: { self: `${baseUrl}${path}/${id}` },
  }
}
