import { compilePasswordRegex, type PasswordRules } from '../model/password-rules.ts'
import { ConfigError } from './config-error.ts'
import { readSetting } from './read-setting.ts'
import type { Source } from './sources.ts'
import { withoutSlash } from './url.ts'

/** An external Keystone, without a trailing slash, and the account that validates tokens; without it each token validates itself.
 *  @throws ConfigError a user without a password, or a setting that needs an external Keystone */
export function keystoneOf(sources: readonly Source[]) {
  const url = withoutSlash(readSetting('ZONEWRIGHT_KEYSTONE_URL', sources))
  const user = readSetting('ZONEWRIGHT_KEYSTONE_USER', sources)
  const password = readSetting('ZONEWRIGHT_KEYSTONE_PASSWORD', sources)
  const project = readSetting('ZONEWRIGHT_KEYSTONE_PROJECT', sources)
  const domain = readSetting('ZONEWRIGHT_KEYSTONE_DOMAIN', sources)
  if ((user === undefined) !== (password === undefined))
    throw new ConfigError(
      'ZONEWRIGHT_KEYSTONE_USER and ZONEWRIGHT_KEYSTONE_PASSWORD must be set together',
    )
  if (url === undefined && user !== undefined)
    throw new ConfigError('ZONEWRIGHT_KEYSTONE_USER needs ZONEWRIGHT_KEYSTONE_URL')
  if (url === undefined) return undefined
  if (user === undefined || password === undefined) return { url, account: undefined }
  return { url, account: { user, password, project, domain } }
}

/** An OpenID provider for logins, without a trailing slash. Has no effect with an external Keystone, which then authenticates users. */
export function openidOf(sources: readonly Source[]) {
  const issuer = withoutSlash(readSetting('ZONEWRIGHT_OPENID_ISSUER', sources))
  if (issuer === undefined) return undefined
  return {
    issuer,
    clientId: readSetting('ZONEWRIGHT_OPENID_CLIENT_ID', sources),
    clientSecret: readSetting('ZONEWRIGHT_OPENID_CLIENT_SECRET', sources),
    rolesClaim: readSetting('ZONEWRIGHT_OPENID_ROLES_CLAIM', sources),
  }
}

/** @throws ConfigError the regular expression is not valid, or there is a description without one */
export function passwordRulesOf(sources: readonly Source[]): PasswordRules {
  const minLength = readSetting('ZONEWRIGHT_PASSWORD_MIN_LENGTH', sources)
  const regex = readSetting('ZONEWRIGHT_PASSWORD_REGEX', sources)
  const description = readSetting('ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION', sources)
  if (regex === undefined && description !== undefined)
    throw new ConfigError('ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION needs ZONEWRIGHT_PASSWORD_REGEX')
  const { problem } = compilePasswordRegex(regex ?? '')
  if (problem !== undefined)
    throw new ConfigError(`ZONEWRIGHT_PASSWORD_REGEX cannot be used: ${problem}`)
  return { minLength, regex, description }
}
