import type {
  ApplicationCredentials,
  CredentialKey,
} from '../../identity/directory/application-credentials.ts'
import type { ApplicationCredential } from '../../model/identity.ts'
import { type PrincipalContext, type Route, route } from '../route.ts'
import {
  applicationCredential,
  applicationCredentialAnswer,
  collectionAnswer,
  newApplicationCredentialAnswer,
} from './answers.ts'
import {
  credentialCreateSchema,
  credentialDraftFromBody,
} from './application-credentials.schema.ts'
import { credentialView } from './application-credentials.view.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf } from './filters.ts'

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
      async handler(context) {
        const { userId } = keyOf(context)
        const filter = filtersOf(context.query, ['name'])
        const rows = credentials.list(context.principal, userId, filter)
        const views = rows.map(row => viewOf(row, context))
        return { status: 200, body: collectionView(context, 'application_credentials', views) }
      },
    }),
    route(`POST ${listPath}`, {
      access: 'principal',
      summary: 'Makes an application credential for oneself; its secret is shown this once',
      answers: { 201: newApplicationCredentialAnswer },
      refusals: ['forbidden', 'bad_request', 'conflict', 'too_many_requests'],
      bodySchema: credentialCreateSchema,
      async handler(context) {
        const draft = credentialDraftFromBody(context.body.application_credential)
        const { principal } = context
        const made = await credentials.create(principal, keyOf(context).userId, draft)
        const view = { ...viewOf(made.credential, context), secret: made.secret }
        return { status: 201, body: { application_credential: view } }
      },
    }),
    route(`GET ${path}`, {
      access: 'principal',
      summary: 'Shows an application credential',
      answers: { 200: applicationCredentialAnswer },
      refusals: ['forbidden', 'not_found'],
      async handler(context) {
        const credential = credentials.get(context.principal, keyOf(context))
        return { status: 200, body: { application_credential: viewOf(credential, context) } }
      },
    }),
    route(`DELETE ${path}`, {
      access: 'principal',
      summary: 'Deletes an application credential and ends its tokens',
      answers: { 204: null },
      refusals: ['forbidden', 'not_found'],
      async handler(context) {
        await credentials.delete(context.principal, keyOf(context))
        return { status: 204 }
      },
    }),
  ]
}

function keyOf({ parameters }: PrincipalContext): CredentialKey {
  return {
    userId: parameters.user_id ?? '',
    id: parameters.application_credential_id ?? '',
  }
}
