import { adminName, defaultDomainId } from '../model/identity.ts'
import type { StoreReader } from '../store/store.ts'
import { findDefaultDomainProject, findDefaultDomainUser, rolesNamed } from './accounts.ts'
import type { Principal } from './principal.ts'
import { secretTest } from './secrets.ts'

/** How the settings let the administrator in. */
type AdministratorOptions = {
  readonly store: StoreReader
  /** A fixed token that is always the administrator. */
  readonly adminToken: string | undefined
  /** Whether requests of the machine itself need no credentials. */
  readonly allowsNoAuth: boolean
}

/** The token that keystoneauth sends where it is configured to use none. */
const noToken = 'notused'

/** The administrator by setting: no row locks it out, neither a deleted user nor a disabled project. */
export class FixedAdministrator {
  readonly #options: AdministratorOptions
  readonly #isToken: (token: string) => boolean

  constructor(options: AdministratorOptions) {
    this.#options = options
    const { adminToken } = options
    this.#isToken = adminToken === undefined ? () => false : secretTest(adminToken)
  }

  /** The administrator, if this is its fixed token. */
  findByToken(token: string): Principal | undefined {
    return this.#isToken(token) ? this.#principal() : undefined
  }

  /** The administrator, if this request has no credentials and needs none. */
  findWithoutCredentials(request: {
    readonly token: string | undefined
    readonly authorization: string | undefined
    readonly isLocal: boolean
  }): Principal | undefined {
    const { token = noToken, authorization } = request
    if (token !== noToken || authorization !== undefined) return undefined
    return this.#options.allowsNoAuth && request.isLocal ? this.#principal() : undefined
  }

  #principal(): Principal | undefined {
    const { store } = this.#options
    const project = findDefaultDomainProject(store, adminName)
    const domain = store.get('domains', defaultDomainId)
    if (project === undefined || domain === undefined) return undefined
    const user = findDefaultDomainUser(store, adminName) ?? { id: adminName, name: adminName }
    const roles = rolesNamed(store, [adminName])
    return { user, userDomain: domain, scope: { project, domain, roles }, credential: undefined }
  }
}
