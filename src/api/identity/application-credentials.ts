import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type {
  ApplicationCredentials,
  CredentialDraft,
  CredentialKey,
} from '../../identity/directory/application-credentials.ts'
import type { ApplicationCredential, Role } from '../../model/identity.ts'
import { closed, component } from '../openapi/fields.ts'
import { type PrincipalContext, type PublicContext, type Route, route } from '../route.ts'
import {
  applicationCredential,
  applicationCredentialAnswer,
  collectionAnswer,
  newApplicationCredentialAnswer,
} from './answers.ts'
import { collectionView } from './collection.view.ts'
import { descriptionField, idField, longNameField, passwordOrNullField } from './field-schemas.ts'
import { filtersOf } from './filters.ts'
import { formatUtc, parseUtc } from './utc-timestamps.ts'

const roleReference = Type.Object({
  id: Type.Optional(idField),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
})

/** Body of `POST /v3/users/<id>/application_credentials`. */
const credentialCreateSchema = component(
  'application credential',
  {
    application_credential: closed({
      name: longNameField,
      description: Type.Optional(descriptionField),
      secret: Type.Optional(passwordOrNullField),
      expires_at: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
      roles: Type.Optional(Type.Array(roleReference, { minItems: 1, maxItems: 100 })),
      unrestricted: Type.Optional(Type.Boolean()),
      project_id: Type.Optional(idField),
      access_rules: Type.Optional(Type.Unknown()),
    }),
  },
  { application_credential: { name: 'deploy', roles: [{ name: 'member' }] } },
)

type Body = Static<typeof credentialCreateSchema>['application_credential']

const listPath = '/v3/users/:user_id/application_credentials'
const path = `${listPath}/:application_credential_id`

/** Application credentials: keys that users make for their programs. */
export function applicationCredentialRoutes(credentials: ApplicationCredentials): readonly Route[] {
  const viewOf = (credential: ApplicationCredential, context: PrincipalContext) =>
    credentialView(credential, credentials.rolesOf(credential), context)
  return [
    route(`GET ${listPath}`, {
      access: 'principal',
      summary: 'Lists a user’s application credentials',
      answers: { 200: collectionAnswer('application_credentials', applicationCredential) },
      refusals: ['forbidden', 'not_found', 'bad_request'],
      respond(context) {
        const { userId } = keyOf(context)
        const filter = filtersOf(context.query, ['name'])
        const rows = credentials.list(context.principal, userId, filter)
        const views = rows.map(row => viewOf(row, context))
        return collectionView(context, 'application_credentials', views)
      },
    }),
    route(`POST ${listPath}`, {
      access: 'principal',
      summary: 'Makes an application credential for oneself; its secret is shown this once',
      answers: { 201: newApplicationCredentialAnswer },
      refusals: ['forbidden', 'bad_request', 'conflict', 'too_many_requests'],
      bodySchema: credentialCreateSchema,
      async respond(context) {
        const draft = credentialDraftFromBody(context.body.application_credential)
        const { principal } = context
        const made = await credentials.create(principal, keyOf(context).userId, draft)
        const view = { ...viewOf(made.credential, context), secret: made.secret }
        return { application_credential: view }
      },
    }),
    route(`GET ${path}`, {
      access: 'principal',
      summary: 'Shows an application credential',
      answers: { 200: applicationCredentialAnswer },
      refusals: ['forbidden', 'not_found'],
      respond(context) {
        const credential = credentials.get(context.principal, keyOf(context))
        return { application_credential: viewOf(credential, context) }
      },
    }),
    route(`DELETE ${path}`, {
      access: 'principal',
      summary: 'Deletes an application credential and ends its tokens',
      answers: { 204: null },
      refusals: ['forbidden', 'not_found'],
      respond: context => credentials.delete(context.principal, keyOf(context)),
    }),
  ]
}

function keyOf({ parameters }: PrincipalContext): CredentialKey {
  return {
    userId: parameters.user_id ?? '',
    id: parameters.application_credential_id ?? '',
  }
}

/** An application credential as Keystone shows it. Its secret is not kept and so never part of this. */
function credentialView(
  credential: ApplicationCredential,
  roles: readonly Role[],
  { baseUrl }: PublicContext,
) {
  const { id, userId, projectId, name, description, expiresAt, isUnrestricted } = credential
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    roles: roles.map(role => ({ id: role.id, name: role.name, domain_id: null })),
    expires_at: expiresAt === null ? null : formatUtc(expiresAt),
    unrestricted: isUnrestricted,
    links: { self: `${baseUrl}/v3/users/${userId}/application_credentials/${id}` },
  }
}

/** @throws ApiError bad_request */
function credentialDraftFromBody(body: Body): CredentialDraft {
  // Ignoring them would create a key with more access than intended.
  if ((body.access_rules ?? null) !== null)
    throw new ApiError('bad_request', 'access_rules cannot be kept to here, so none are taken')
  return {
    name: body.name,
    description: body.description ?? '',
    secret: body.secret ?? undefined,
    expiresAt: expiryFromText(body.expires_at ?? null),
    roles: body.roles,
    isUnrestricted: body.unrestricted ?? false,
    projectId: body.project_id,
  }
}

function expiryFromText(text: string | null): number | null {
  const expiresAt = text === null ? null : parseUtc(text)
  if (expiresAt !== undefined) return expiresAt
  throw new ApiError('bad_request', 'expires_at must be a time such as 2026-11-21T10:00:00Z')
}
