import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { allowTransferAttribute, transferKeyAttribute } from '../../model/transfer-peers.ts'
import type { Zone } from '../../model/zone.ts'
import { component } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { metadataAnswer } from './answers.ts'
import { serverPath, zoneIn } from './zones.view.ts'

// Metadata of zones, where it means something here: who may have a zone, and the key that its masters are asked with.

const metadataPath = `${serverPath}/zones/:zone_id/metadata`

const metadataSchema = component(
  'metadata',
  {
    kind: Type.Optional(Type.String({ maxLength: 64 })),
    metadata: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 100 }),
  },
  { kind: 'ALLOW-AXFR-FROM', metadata: ['192.0.2.2'] },
)

type Kind = {
  valuesOf(zone: Zone): readonly string[]
  /** The attributes that make a zone have these values. */
  attributesOf(zone: Zone, values: readonly string[]): Readonly<Record<string, string>>
}

const isKey = (peer: string) => peer.startsWith('key:')
const peersOf = ({ attributes }: Zone): readonly string[] =>
  (attributes[allowTransferAttribute] ?? '').split(/[ ,]+/).filter(peer => peer !== '')
const allowing = (peers: readonly string[]) => ({ [allowTransferAttribute]: peers.join(',') })
const withoutDot = (name: string) => name.replace(/\.$/, '')

const kinds: Readonly<Record<string, Kind>> = {
  'ALLOW-AXFR-FROM': {
    valuesOf: zone => peersOf(zone).filter(peer => !isKey(peer)),
    attributesOf: (zone, values) => allowing([...values, ...peersOf(zone).filter(isKey)]),
  },
  'TSIG-ALLOW-AXFR': {
    valuesOf: zone =>
      peersOf(zone)
        .filter(isKey)
        .map(peer => peer.slice('key:'.length)),
    attributesOf: (zone, values) => {
      const keys = values.map(name => `key:${withoutDot(name)}`)
      return allowing([...peersOf(zone).filter(peer => !isKey(peer)), ...keys])
    },
  },
  'AXFR-MASTER-TSIG': {
    valuesOf: ({ attributes }) => [attributes[transferKeyAttribute] ?? ''].filter(Boolean),
    attributesOf: (_, [name = '']) => ({ [transferKeyAttribute]: withoutDot(name) }),
  },
}

/** @throws ApiError bad_request it is not kept here */
function kindNamed(name = ''): Kind {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind !== undefined) return kind
  const known = Object.keys(kinds).join(', ')
  throw new ApiError('bad_request', `Metadata of the kind ${name} is not kept here; ${known} are`)
}

function view(zone: Zone, name: string) {
  return { type: 'Metadata', kind: name, metadata: kindNamed(name).valuesOf(zone) }
}

/** Metadata of zones. */
export function metadataRoutes(services: Services): readonly Route[] {
  const set = async (
    context: RequestContext,
    name: string,
    valuesFor: (before: readonly string[]) => readonly string[],
  ) => {
    const { id } = zoneIn(services, context)
    const { valuesOf, attributesOf } = kindNamed(name)
    return services.zones.update(context.caller, id, zone => ({
      attributes: attributesOf(zone, valuesFor(valuesOf(zone))),
    }))
  }
  const refusals = ['zone_not_found', 'bad_request'] as const
  return [
    route(`GET ${metadataPath}`, {
      rule: 'get_zone',
      summary: 'Lists the metadata of a zone',
      answers: { 200: Type.Array(metadataAnswer) },
      refusals,
      respond(context) {
        const zone = zoneIn(services, context)
        const all = Object.keys(kinds).map(name => view(zone, name))
        return all.filter(({ metadata }) => metadata.length > 0)
      },
    }),
    route(`POST ${metadataPath}`, {
      rule: 'update_zone',
      summary: 'Adds to the metadata of a zone',
      answers: { 201: metadataAnswer },
      refusals,
      bodySchema: metadataSchema,
      async respond(context) {
        const { kind = '', metadata } = context.body
        const zone = await set(context, kind, before => [...new Set([...before, ...metadata])])
        return view(zone, kind)
      },
    }),
    route(`GET ${metadataPath}/:metadata_kind`, {
      rule: 'get_zone',
      summary: 'Shows metadata of a kind',
      answers: { 200: metadataAnswer },
      refusals,
      respond: context => view(zoneIn(services, context), context.parameters.metadata_kind ?? ''),
    }),
    route(`PUT ${metadataPath}/:metadata_kind`, {
      rule: 'update_zone',
      summary: 'Replaces metadata of a kind',
      answers: { 200: metadataAnswer },
      refusals,
      bodySchema: metadataSchema,
      async respond(context) {
        const name = context.parameters.metadata_kind ?? ''
        const zone = await set(context, name, () => context.body.metadata)
        return view(zone, name)
      },
    }),
    route(`DELETE ${metadataPath}/:metadata_kind`, {
      rule: 'update_zone',
      summary: 'Takes metadata of a kind away',
      answers: { 200: null },
      refusals,
      respond: context => set(context, context.parameters.metadata_kind ?? '', () => []),
    }),
  ]
}
