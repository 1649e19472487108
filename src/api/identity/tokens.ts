import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { refuseLogin } from '../../identity/authenticator.ts'
import { isAdministrator } from '../../identity/directory/access.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Scope } from '../../identity/logins.ts'
import type { ProjectScope } from '../../identity/principal.ts'
import type { Session } from '../../identity/sessions.ts'
import { component } from '../openapi/fields.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { tokenAnswer } from './answers.ts'
import { catalogView } from './catalog.ts'
import { openidRedirect } from './openid.ts'
import { formatUtc } from './utc-timestamps.ts'

// The body of a login. Unknown keys are accepted: clients send those of newer Keystones.

const domain = Type.Object({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) })

const reference = {
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(domain),
}

const identity = Type.Object({
  methods: Type.Array(Type.String(), { minItems: 1, maxItems: 8 }),
  password: Type.Optional(
    Type.Object({
      user: Type.Object({ ...reference, password: Type.String() }),
    }),
  ),
  totp: Type.Optional(
    Type.Object({ user: Type.Object({ ...reference, passcode: Type.String() }) }),
  ),
  openid: Type.Optional(
    Type.Object({
      code: Type.String({ maxLength: 4096 }),
      code_verifier: Type.String({ maxLength: 128 }),
      nonce: Type.String({ maxLength: 128 }),
    }),
  ),
  token: Type.Optional(Type.Object({ id: Type.String() })),
  application_credential: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      user: Type.Optional(Type.Object(reference)),
      secret: Type.String(),
    }),
  ),
})

const scope = Type.Union([
  Type.Literal('unscoped'),
  Type.Object({
    project: Type.Optional(Type.Object(reference)),
    unscoped: Type.Optional(Type.Object({})),
    // Requested by clients and refused: roles exist only in projects.
    domain: Type.Optional(Type.Unknown()),
    system: Type.Optional(Type.Unknown()),
  }),
])

/** Body of `POST /v3/auth/tokens`. */
const loginSchema = component(
  'login',
  { auth: Type.Object({ identity, scope: Type.Optional(scope) }) },
  {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'admin', domain: { id: 'default' }, password: 'secret' } },
      },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    },
  },
)

type TokenViewOptions = {
  readonly publicUrl: string
  /** Whether to leave the catalog out, which some clients ask for. */
  readonly withoutCatalog: boolean
}

const path = '/v3/auth/tokens'

/** Logging in, showing a token and revoking it (Keystone v3). These routes check credentials themselves: a login has none yet,
 *  and the others involve two tokens. */
export function tokenRoutes(identity: Identity): readonly Route[] {
  return [
    route(`POST ${path}`, {
      access: 'public',
      summary: 'Logs in: gives out a token for a password, an application credential or a token',
      answers: { 201: tokenAnswer },
      refusals: [
        'unauthorized',
        'second_factor_required',
        'too_many_requests',
        'keystone_communication_failure',
        'conflict',
      ],
      bodySchema: loginSchema,
      handler: async context => {
        const { identity: proof, scope } = context.body.auth
        const login = await identity.logins.logIn({
          ...proof,
          applicationCredential: proof.application_credential,
          openid: openidFromBody(proof.openid, context),
          scope: scopeFromBody(scope),
          peer: context.peer,
        })
        return tokenReply(201, login, { context, token: login.token })
      },
    }),
    route(`GET ${path}`, {
      access: 'public',
      summary: 'Shows whose a token is, and its catalog',
      answers: { 200: tokenAnswer },
      refusals: ['unauthorized', 'bad_request', 'forbidden', 'not_found'],
      handler: async context => {
        const { session, token } = subjectOf(identity, context)
        return tokenReply(200, session, { context, token })
      },
    }),
    route(`DELETE ${path}`, {
      access: 'public',
      summary: 'Takes a token back',
      answers: { 204: null },
      refusals: ['unauthorized', 'bad_request', 'forbidden', 'not_found', 'too_many_requests'],
      handler: async context => {
        await identity.sessions.revoke(subjectOf(identity, context).session)
        return { status: 204 }
      },
    }),
  ]
}

type LoginOpenid = Static<typeof loginSchema>['auth']['identity']['openid']

/** The provider sends users back to the console, at the address where clients reach this server. */
function openidFromBody(proof: LoginOpenid, { publicUrl }: PublicContext) {
  if (proof === undefined) return undefined
  const { code, code_verifier: codeVerifier, nonce } = proof
  return { code, codeVerifier, nonce, redirectUri: openidRedirect(publicUrl) }
}

type LoginScope = Static<typeof loginSchema>['auth']['scope']

/** @throws ApiError unauthorized: a domain or the system is requested, in which no user has a role */
function scopeFromBody(scope: LoginScope): Scope {
  if (scope === undefined || scope === 'unscoped') return scope
  if (scope.project !== undefined) return { project: scope.project }
  if (scope.unscoped !== undefined) return 'unscoped'
  throw new ApiError('unauthorized', 'Only a project can be the scope of a token')
}

/** Returns the token that a request is about, for its bearer and for administrators.
 *  @throws ApiError unauthorized, bad_request, not_found, forbidden */
function subjectOf(identity: Identity, { header }: PublicContext) {
  const bearer = identity.sessions.find(header('x-auth-token') ?? '') ?? refuseLogin()
  const token = header('x-subject-token') ?? ''
  if (token === '') throw new ApiError('bad_request', 'The header X-Subject-Token is missing')
  const session = identity.sessions.find(token)
  if (session === undefined) throw new ApiError('not_found', 'Could not find the token')
  if (!isAdministrator(bearer) && bearer.user.id !== session.user.id)
    throw new ApiError('forbidden', 'The token is another user’s')
  return { session, token }
}

function tokenReply(
  status: number,
  session: Session,
  { context, token }: { readonly context: PublicContext; readonly token: string },
) {
  const { publicUrl, query } = context
  return {
    status,
    body: tokenView(session, { publicUrl, withoutCatalog: query.has('nocatalog') }),
    headers: { 'x-subject-token': token, vary: 'X-Auth-Token' },
  }
}

/** A token as the identity service shows it. Without a project there is nothing to open, so no catalog. */
function tokenView(session: Session, { publicUrl, withoutCatalog }: TokenViewOptions) {
  const { user, userDomain, scope, credential, claims } = session
  return {
    token: {
      methods: claims.methods,
      user: {
        id: user.id,
        name: user.name,
        domain: { id: userDomain.id, name: userDomain.name },
        password_expires_at: null,
      },
      audit_ids: [claims.auditId, claims.parentAuditId].filter(id => id !== null),
      issued_at: formatUtc(claims.issuedAtMillis * 1000),
      expires_at: formatUtc(claims.expiresAtMillis * 1000),
      ...(scope !== undefined && scopeView(scope)),
      ...(credential !== undefined && {
        application_credential: {
          id: credential.id,
          name: credential.name,
          restricted: !credential.isUnrestricted,
        },
      }),
      ...(scope !== undefined && !withoutCatalog && { catalog: catalogView(publicUrl) }),
    },
  }
}

function scopeView({ project, domain, roles }: ProjectScope) {
  return {
    project: {
      id: project.id,
      name: project.name,
      domain: { id: domain.id, name: domain.name },
    },
    is_domain: false,
    roles: roles.map(({ id, name }) => ({ id, name })),
  }
}
