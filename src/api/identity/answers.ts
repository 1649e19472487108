import { Type } from 'typebox'
import {
  anything,
  flag,
  link,
  listOf,
  oneOf,
  orNull,
  plainId,
  selfLink,
  text,
  whole,
} from '../openapi/fields.ts'

// What the identity service answers, in Keystone's forms.

const named = Type.Object({ id: plainId, name: text('Default') })
const options = { options: anything({}) }
const moment = text('2026-11-21T12:00:00.000000Z')

/** A list as Keystone has it: whole, so without other pages. */
export const collectionAnswer = (key: string, item: Parameters<typeof listOf>[0]) =>
  Type.Object({
    [key]: listOf(item),
    links: Type.Object({ self: link, previous: Type.Null(), next: Type.Null() }),
  })

export const domain = Type.Object(
  {
    id: plainId,
    name: text('Default'),
    description: text('The domain that exists from the first start'),
    enabled: flag,
    tags: listOf(text('')),
    ...options,
    links: selfLink,
  },
  { title: 'IdentityDomain' },
)

export const project = Type.Object(
  {
    id: plainId,
    name: text('web'),
    description: text('Pages'),
    domain_id: text('default'),
    parent_id: text('default'),
    is_domain: flag,
    enabled: flag,
    tags: listOf(text('')),
    ...options,
    links: selfLink,
  },
  { title: 'Project' },
)

export const user = Type.Object(
  {
    id: plainId,
    name: text('joe'),
    description: text('Jo'),
    email: Type.Optional(text('jo@example.com')),
    domain_id: text('default'),
    default_project_id: Type.Optional(plainId),
    enabled: flag,
    password_expires_at: Type.Null(),
    ...options,
    links: selfLink,
  },
  { title: 'User' },
)

export const role = Type.Object(
  {
    id: plainId,
    name: text('member'),
    description: text('May change what is the project’s'),
    domain_id: Type.Null(),
    ...options,
    links: selfLink,
  },
  { title: 'Role' },
)

export const applicationCredential = Type.Object(
  {
    id: plainId,
    name: text('deploy'),
    description: text('Pipeline'),
    user_id: plainId,
    project_id: plainId,
    roles: listOf(Type.Object({ id: plainId, name: text('member'), domain_id: Type.Null() })),
    expires_at: orNull(moment),
    unrestricted: flag,
    links: selfLink,
  },
  { title: 'ApplicationCredential' },
)
export const applicationCredentialAnswer = Type.Object({
  application_credential: applicationCredential,
})
export const newApplicationCredentialAnswer = Type.Object({
  application_credential: Type.Object({
    ...applicationCredential.properties,
    secret: text('KeTn94Zp72vmeg-LzWJO-csud8lP9au5hu04AEUnt5e09sQpYROu0faiCkNy'),
  }),
})

const endpointFields = {
  id: plainId,
  interface: text('public'),
  region: text('RegionOne'),
  region_id: text('RegionOne'),
  url: link,
}
export const service = Type.Object(
  {
    id: plainId,
    type: text('dns'),
    name: text('designate'),
    description: text(''),
    enabled: flag,
    links: selfLink,
  },
  { title: 'CatalogService' },
)
export const endpoint = Type.Object(
  { ...endpointFields, service_id: plainId, enabled: flag, links: selfLink },
  { title: 'CatalogEndpoint' },
)
const catalog = Type.Object(
  {
    id: plainId,
    type: text('dns'),
    name: text('designate'),
    endpoints: listOf(Type.Object(endpointFields)),
  },
  { title: 'CatalogEntry' },
)
export const catalogAnswer = collectionAnswer('catalog', catalog)

const ofDomain = Type.Object({ ...named.properties, domain: named })
export const tokenAnswer = Type.Object({
  token: Type.Object(
    {
      methods: listOf(text('password')),
      user: Type.Object({
        ...ofDomain.properties,
        password_expires_at: Type.Null(),
      }),
      audit_ids: listOf(text('RPerLzbGOIhCslEe')),
      issued_at: moment,
      expires_at: moment,
      project: Type.Optional(ofDomain),
      is_domain: Type.Optional(flag),
      roles: Type.Optional(listOf(Type.Object({ id: plainId, name: text('member') }))),
      application_credential: Type.Optional(Type.Object({ ...named.properties, restricted: flag })),
      catalog: Type.Optional(listOf(catalog)),
    },
    { title: 'Token' },
  ),
})

const perhapsNamed = Type.Object({
  id: plainId,
  name: Type.Optional(text('alpha')),
  domain: Type.Optional(named),
})
export const roleAssignment = Type.Object(
  {
    role: perhapsNamed,
    user: perhapsNamed,
    scope: Type.Object({ project: perhapsNamed }),
    links: Type.Object({ assignment: link }),
  },
  { title: 'RoleAssignment' },
)

const version = Type.Object(
  {
    id: text('v3.14'),
    status: oneOf('stable'),
    updated: text('2020-04-07T00:00:00Z'),
    links: listOf(Type.Object({ rel: text('self'), href: link })),
    'media-types': listOf(
      Type.Object({
        base: text('application/json'),
        type: text('application/vnd.openstack.identity-v3+json'),
      }),
    ),
  },
  { title: 'IdentityVersion' },
)
export const versionAnswer = Type.Object({ version })
export const versionsAnswer = Type.Object({ versions: Type.Object({ values: listOf(version) }) })

export const secondFactorAnswer = Type.Object(
  { totp: Type.Object({ enabled: flag, recovery_codes_left: whole(8) }) },
  { title: 'SecondFactor' },
)
