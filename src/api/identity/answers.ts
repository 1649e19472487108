import { Type } from 'typebox'
import {
  anything,
  component,
  flag,
  link,
  listOf,
  objectsWith,
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

export const domain = component('IdentityDomain', {
  id: plainId,
  name: text('Default'),
  description: text('The domain that exists from the first start'),
  enabled: flag,
  tags: listOf(text('')),
  ...options,
  links: selfLink,
})

export const project = component('Project', {
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
})

export const user = component('User', {
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
})

export const role = component('Role', {
  id: plainId,
  name: text('member'),
  description: text('May change what is the project’s'),
  domain_id: Type.Null(),
  ...options,
  links: selfLink,
})

export const applicationCredential = component('ApplicationCredential', {
  id: plainId,
  name: text('deploy'),
  description: text('Pipeline'),
  user_id: plainId,
  project_id: plainId,
  roles: objectsWith({ id: plainId, name: text('member'), domain_id: Type.Null() }),
  expires_at: orNull(moment),
  unrestricted: flag,
  links: selfLink,
})
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
export const service = component('CatalogService', {
  id: plainId,
  type: text('dns'),
  name: text('designate'),
  description: text(''),
  enabled: flag,
  links: selfLink,
})
export const endpoint = component('CatalogEndpoint', {
  ...endpointFields,
  service_id: plainId,
  enabled: flag,
  links: selfLink,
})
const catalog = component('CatalogEntry', {
  id: plainId,
  type: text('dns'),
  name: text('designate'),
  endpoints: objectsWith(endpointFields),
})
export const catalogAnswer = collectionAnswer('catalog', catalog)

const ofDomain = Type.Object({ ...named.properties, domain: named })
export const tokenAnswer = Type.Object({
  token: component('Token', {
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
    roles: Type.Optional(objectsWith({ id: plainId, name: text('member') })),
    application_credential: Type.Optional(Type.Object({ ...named.properties, restricted: flag })),
    catalog: Type.Optional(listOf(catalog)),
  }),
})

const perhapsNamed = Type.Object({
  id: plainId,
  name: Type.Optional(text('alpha')),
  domain: Type.Optional(named),
})
export const roleAssignment = component('RoleAssignment', {
  role: perhapsNamed,
  user: perhapsNamed,
  scope: Type.Object({ project: perhapsNamed }),
  links: Type.Object({ assignment: link }),
})

const version = component('IdentityVersion', {
  id: text('v3.14'),
  status: oneOf('stable'),
  updated: text('2020-04-07T00:00:00Z'),
  links: objectsWith({ rel: text('self'), href: link }),
  'media-types': objectsWith({
    base: text('application/json'),
    type: text('application/vnd.openstack.identity-v3+json'),
  }),
})
export const versionAnswer = Type.Object({ version })
export const versionsAnswer = Type.Object({ versions: Type.Object({ values: listOf(version) }) })

export const secondFactorAnswer = component('SecondFactor', {
  totp: Type.Object({ enabled: flag, recovery_codes_left: whole(8) }),
})
