import type { Rows } from './row.ts'

const grant = '/identity/v3/projects/:project_id/users/:user_id/roles'
const credentials = '/identity/v3/users/:user_id/application_credentials'
/** The owner’s own token as what is asked about. */
const ownersToken = ({ ownerToken }: { readonly ownerToken: string }) => ({
  'x-subject-token': ownerToken,
})
/** Domains of accounts, where elsewhere a domain is a zone. */
const domain = ({ ids }: { readonly ids: Readonly<Record<string, string>> }) => ({
  domain_id: ids.identity_domain_id ?? '',
})

/** The identity service. */
export const identityRows: Rows = {
  'GET /identity': {},
  'GET /identity/v3': {},
  'POST /identity/v3/auth/tokens': {
    isLimited: true,
    body: ({ ids }) => ({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { id: ids.user_id, password: 'not the owner’s' } },
        },
      },
    }),
  },
  'GET /identity/v3/auth/tokens': { headers: ownersToken },
  'DELETE /identity/v3/auth/tokens': { headers: ownersToken },
  'GET /identity/v3/auth/openid': {},
  'GET /identity/v3/auth/catalog': {},
  'GET /identity/v3/auth/projects': {},
  'GET /identity/v3/domains': {},
  'POST /identity/v3/domains': { body: () => ({ domain: { name: 'x' } }) },
  'GET /identity/v3/domains/:domain_id': { parameters: domain },
  'PATCH /identity/v3/domains/:domain_id': {
    parameters: domain,
    body: () => ({ domain: { enabled: false } }),
  },
  'DELETE /identity/v3/domains/:domain_id': { parameters: domain },
  'GET /identity/v3/projects': {},
  'POST /identity/v3/projects': { body: () => ({ project: { name: 'x' } }) },
  'GET /identity/v3/projects/:project_id': {},
  'PATCH /identity/v3/projects/:project_id': { body: () => ({ project: { enabled: false } }) },
  'DELETE /identity/v3/projects/:project_id': {},
  'GET /identity/v3/users': {},
  'POST /identity/v3/users': { body: () => ({ user: { name: 'x' } }) },
  'GET /identity/v3/users/:user_id': {},
  'PATCH /identity/v3/users/:user_id': { body: () => ({ user: { enabled: false } }) },
  'DELETE /identity/v3/users/:user_id': {},
  'POST /identity/v3/users/:user_id/password': {
    isLimited: true,
    body: () => ({ user: { original_password: 'not the owner’s', password: 'another' } }),
  },
  'GET /identity/v3/users/:user_id/totp': {},
  'PUT /identity/v3/users/:user_id/totp': {
    body: () => ({ totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', passcode: '123456' } }),
  },
  'DELETE /identity/v3/users/:user_id/totp': {},
  'GET /identity/v3/users/:user_id/projects': {},
  [`GET ${credentials}`]: {},
  [`POST ${credentials}`]: { body: () => ({ application_credential: { name: 'x' } }) },
  [`GET ${credentials}/:application_credential_id`]: {},
  [`DELETE ${credentials}/:application_credential_id`]: {},
  'GET /identity/v3/services': {},
  'GET /identity/v3/services/:service_id': {
    parameters: () => ({ service_id: 'dd75a9d6fb309c4399fe425cd5f90ff9' }),
  },
  'GET /identity/v3/endpoints': {},
  'GET /identity/v3/endpoints/:endpoint_id': {
    parameters: () => ({ endpoint_id: 'bc73183778018b585c01d58307174a3d' }),
  },
  'GET /identity/v3/groups': {},
  'GET /identity/v3/roles': {},
  'POST /identity/v3/roles': { body: () => ({ role: { name: 'x' } }) },
  'GET /identity/v3/roles/:role_id': {},
  'PATCH /identity/v3/roles/:role_id': { body: () => ({ role: { description: 'x' } }) },
  'DELETE /identity/v3/roles/:role_id': {},
  'GET /identity/v3/role_assignments': { query: ({ ids }) => `user.id=${ids.user_id}` },
  [`GET ${grant}`]: {},
  [`GET ${grant}/:role_id`]: {},
  [`PUT ${grant}/:role_id`]: {},
  [`DELETE ${grant}/:role_id`]: {},
}
