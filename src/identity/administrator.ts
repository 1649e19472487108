import { adminName, defaultDomainId } from '../model/identity.ts'
import type { StoreReader } from '../store/store.ts'
import { findDefaultDomainProject, findDefaultDomainUser, rolesNamed } from './accounts.ts'
import type { Principal } from './principal.ts'
import { isEqualSecret } from './secrets.ts'

/** How the settings let the administrator in. */
export type AdministratorOptions = {
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

  constructor(options: AdministratorOptions) {
    this.#options = options
  }

  /** The administrator, if this is its fixed token. */
  findByToken(token: string): Principal | undefined {
    const { adminToken } = this.#options
    if (adminToken === undefined || !isEqualSecret(token, adminToken)) return undefined
    return this.#principal()
  }

  /** The administrator, if this request has no credentials and needs none. */
  findWithoutCredentials(request: {
    readonly token: string | undefined
    readonly authorization: string | undefined
    readonly isLocal: boolean
  }): Principal | undefined {
    const { token = noToken, authorization, isLocal } = request
    const isTrusted = this.#options.allowsNoAuth && isLocal
    if (!isTrusted || token !== noToken || authorization !== undefined) return undefined
    return this.#principal()
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
