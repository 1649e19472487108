import type { Clock } from '../clock.ts'
import { defaultDomainId } from '../model/identity.ts'
import type { PasswordRules } from '../model/password-rules.ts'
import type { Store } from '../store/store.ts'
import { defaultScopeOf, onlyScopeOf } from './accounts.ts'
import { FixedAdministrator } from './administrator.ts'
import { type Authenticator, type Credentials, refuseLogin } from './authenticator.ts'
import { parseBasic } from './basic.ts'
import { type BootstrapOptions, bootstrapIdentity } from './bootstrap.ts'
import { ApplicationCredentials } from './directory/application-credentials.ts'
import { Domains } from './directory/domains.ts'
import { Projects } from './directory/projects.ts'
import { RoleAssignments } from './directory/role-assignments.ts'
import { Roles } from './directory/roles.ts'
import { Users } from './directory/users.ts'
import type { Sharers } from './failure-limiter.ts'
import { type FailedLogin, Logins } from './logins.ts'
import { OpenidLogins, type OpenidSettings } from './openid/openid-logins.ts'
import { PasswordChecker } from './password-checker.ts'
import { PasswordHasher } from './password-hasher.ts'
import { type ScryptCost, standardCost } from './passwords.ts'
import type { Principal } from './principal.ts'
import { SecondFactors } from './second-factors.ts'
import { Sessions } from './sessions.ts'

type IdentityOptions = Omit<BootstrapOptions, 'cost'> & {
  readonly store: Store
  readonly clock: Clock
  /** A fixed token that is always the administrator. */
  readonly adminToken?: string | undefined
  /** Whether requests from this machine need no credentials. */
  readonly allowsNoAuth?: boolean
  /** Rules for new passwords; any password is accepted if not given. */
  readonly passwordRules?: PasswordRules
  /** An OpenID provider for logins; none if not given. */
  readonly openid?: OpenidSettings | undefined
  /** How many servers count failed logins separately; only this one if not given. */
  readonly sharers?: Sharers
  /** Called with each login that failed. */
  readonly onFailedLogin?: (failure: FailedLogin) => void
  /** The cost of checking a stored password; tests want it low. */
  readonly cost?: ScryptCost
}

/** The identity service: authenticates requests from our own rows. */
export type Identity = Authenticator & {
  /** The administrator who needs no account. */
  readonly administrator: FixedAdministrator
  /** Logins, which issue tokens. */
  readonly logins: Logins
  /** Second factors, required by logins besides a password. */
  readonly secondFactors: SecondFactors
  /** The OpenID provider for logins. */
  readonly openid: OpenidLogins | undefined
  /** Tokens issued by logins. */
  readonly sessions: Sessions
  /** The administration of the rows. */
  readonly directory: {
    readonly domains: Domains
    readonly projects: Projects
    readonly users: Users
    readonly roles: Roles
    readonly roleAssignments: RoleAssignments
    readonly applicationCredentials: ApplicationCredentials
  }
}

type OpenedIdentity = {
  readonly identity: Identity
  /** The administrator's new password, to be shown once; undefined unless one was generated. */
  readonly generatedPassword: string | undefined
}

const anyPassword: PasswordRules = { minLength: 1, regex: undefined, description: undefined }

/** Opens the identity service over a store, creating its first rows where they are missing. */
export async function openIdentity(options: IdentityOptions): Promise<OpenedIdentity> {
  const { passwordRules = anyPassword, onFailedLogin = () => undefined } = options
  const { store, clock, sharers, adminToken, cost = standardCost } = options
  const { signingKey, generatedPassword } = await bootstrapIdentity(store, { ...options, cost })
  const allowsNoAuth = options.allowsNoAuth ?? false
  const administrator = new FixedAdministrator({ store, adminToken, allowsNoAuth })
  const sessions = new Sessions({ store, clock, signingKey, administrator })
  const hasher = new PasswordHasher(cost)
  const passwords = new PasswordChecker({ clock, hasher, sharers })
  const secondFactors = new SecondFactors({ store, clock, sharers })
  const settings = options.openid
  const openid = settings && new OpenidLogins({ store, clock, hasher, settings, sharers })
  const proofs = { sessions, passwords, secondFactors, openid }
  const logins = new Logins({ store, clock, ...proofs, onFailedLogin })
  const identity: Identity = {
    ...{ administrator, logins, secondFactors, openid, sessions },
    directory: {
      domains: new Domains(store),
      projects: new Projects(store),
      users: new Users({ store, hasher, logins, passwordRules }),
      roles: new Roles(store),
      roleAssignments: new RoleAssignments(store),
      applicationCredentials: new ApplicationCredentials({ store, clock, hasher }),
    },
    authenticate: credentials => authenticate(store, identity, credentials),
  }
  return { identity, generatedPassword }
}

async function authenticate(
  store: Store,
  { administrator, sessions, logins }: Pick<Identity, 'administrator' | 'sessions' | 'logins'>,
  credentials: Credentials,
): Promise<Principal> {
  const { token, authorization, peer } = credentials
  const local = administrator.findWithoutCredentials(credentials)
  if (local !== undefined) return local
  if (token !== undefined) return sessions.find(token) ?? refuseLogin()
  const { name, password } = parseBasic(authorization) ?? refuseLogin()
  const credential = await logins.proveBasicCredential(name, { password, peer })
  if (credential !== undefined) return credential
  // The header cannot name a domain.
  const reference = { name, domain: { id: defaultDomainId } }
  const known = await logins.provePassword(reference, { password, peer })
  // Nor can it have a passcode: programs of such a user have application credentials.
  if (known.user.secondFactor != null) refuseLogin()
  // Nor can it name a project: without a default one, the user's only project is meant.
  const { user } = known
  return { ...known, scope: defaultScopeOf(store, user) ?? onlyScopeOf(store, user) }
}
