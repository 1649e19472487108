import { type Static, Type } from 'typebox'
import { compile } from '../../validator.ts'
import { withImpliedRoles } from '../policy.ts'
import type { Named, Principal, ProjectScope } from '../principal.ts'
import { KeystoneFailure } from './keystone-failure.ts'

/** A token as Keystone describes it. */
export type RemoteToken = { readonly principal: Principal; readonly expiresAtMillis: number }

const named = { id: Type.String(), name: Type.String() }
const inDomain = Type.Object({ ...named, domain: Type.Object(named) })

/** The parts needed from the body of `GET /v3/auth/tokens`. */
const schema = Type.Object({
  token: Type.Object({
    expires_at: Type.String(),
    user: inDomain,
    project: Type.Optional(inDomain),
    roles: Type.Optional(Type.Array(Type.Object(named))),
  }),
})

type Token = Static<typeof schema>['token']

const validate = compile(schema)

/** Reads the body of a validated token.
 *  @throws KeystoneFailure it is not one */
export function parseToken(text: string): RemoteToken {
  const { user, project, roles = [], expires_at } = tokenOf(text)
  const expiresAtMillis = Date.parse(expires_at)
  if (Number.isNaN(expiresAtMillis)) throw new KeystoneFailure('a token without an expiry')
  const scope = project === undefined ? undefined : scopeOf(project, roles)
  const principal = { user, userDomain: user.domain, scope, credential: undefined }
  return { principal, expiresAtMillis }
}

function tokenOf(text: string): Token {
  const body = parseJson(text)
  const [finding] = validate(body)
  if (finding === undefined) return (body as Static<typeof schema>).token
  const place = finding.path.join('.')
  throw new KeystoneFailure(`an answer that is no token: ${place} ${finding.message}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new KeystoneFailure('an answer that is not JSON', { cause })
  }
}

/** Keystone compares names of roles without regard to case; here they are in lower case. */
function scopeOf(project: NonNullable<Token['project']>, given: readonly Named[]): ProjectScope {
  const idByName = new Map(given.map(({ id, name }) => [name.toLowerCase(), id]))
  const names = withImpliedRoles([...idByName.keys()])
  const roles = names.map(name => ({ id: idByName.get(name) ?? name, name }))
  return { project, domain: project.domain, roles }
}
