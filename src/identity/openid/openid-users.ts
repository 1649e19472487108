import { hash } from 'node:crypto'
import type { IDToken } from 'openid-client'
import { ApiError } from '../../errors.ts'
import { defaultDomainId, type User } from '../../model/identity.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { keepingAnAdministrator } from '../directory/last-administrator.ts'
import { newId } from '../new-id.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import { generatePassword } from '../passwords.ts'

/** Users of a provider are in a separate domain, so that none has the name of a local user. */
const openidDomainId = 'openid'

/** More than any real user has. */
const maxGrants = 1_000
const maxNameCharacters = 255

type OpenidClaims = {
  readonly issuer: string
  readonly claims: IDToken
  readonly rolesClaim: string
}

/** The user of a provider's claims, created if new, with exactly the roles of the claims: other roles are revoked.
 *  @throws ApiError conflict: no administrator would be left */
export async function openidUserOf(
  store: Store,
  hasher: PasswordHasher,
  { issuer, claims, rolesClaim }: OpenidClaims,
): Promise<User> {
  const id = hash('sha256', `${issuer}\n${claims.sub}`, 'hex').slice(0, 32)
  const stored = store.get('users', id)
  // An unknown random password; hashing is slow and a commit must be fast.
  const passwordHash = stored?.passwordHash ?? (await hasher.hash(generatePassword()))
  const email = typeof claims.email === 'string' ? claims.email.slice(0, maxNameCharacters) : null
  const change = (tx: Transaction): User => {
    ensureDomain(tx)
    const before = tx.get('users', id)
    const name = freeName(tx, id, wordsOf(claims))
    const user: User =
      before === undefined
        ? { ...newStamp(tx, id), ...newUser, name, email, passwordHash }
        : updatedRow(tx, before, { name, email })
    if (user !== before) tx.put('users', user)
    keepingAnAdministrator(tx, () => setGrants(tx, user, grantsOf(tx, claims, rolesClaim)))
    return user
  }
  try {
    return await store.commit(change)
  } catch (error) {
    // A user of whom nothing has changed can log in where the store takes no changes.
    const staged = store.stage()
    const isSame = change(staged) === stored && rolesOf(staged, id) === rolesOf(store, id)
    if (stored !== undefined && isSame) return stored
    throw error
  }
}

function rolesOf(reader: StoreReader, userId: string): string {
  return Array.from(reader.list('roleAssignments', 'byUser', userId), ({ id }) => id).join()
}

const newUser = {
  domainId: openidDomainId,
  description: '',
  isEnabled: true,
  defaultProjectId: null,
}

function ensureDomain(tx: Transaction): void {
  if (tx.get('domains', openidDomainId) !== undefined) return
  if (tx.find('domains', 'byName', openidDomainId) !== undefined)
    throw new ApiError('conflict', 'Another domain has the name that the provider’s users need')
  const text = { name: openidDomainId, description: 'Users of the OpenID provider' }
  tx.put('domains', { ...newStamp(tx, openidDomainId), ...text, isEnabled: true })
}

function wordsOf({ preferred_username: name, email, sub }: IDToken): string {
  const [first = sub] = [name, email].filter(one => typeof one === 'string' && one !== '')
  return String(first).slice(0, maxNameCharacters)
}

/** Two users of a provider may have the same name. */
function freeName(tx: Transaction, id: string, name: string): string {
  const holder = tx.find('users', 'byName', keyOf(openidDomainId, name.toLowerCase()))
  return holder === undefined || holder.id === id ? name : `${name.slice(0, 200)} (${id})`
}

type ProjectRole = { readonly projectId: string; readonly roleId: string }

/** `project:role` of the default domain; those that do not exist here are skipped. */
function grantsOf(tx: Transaction, claims: IDToken, rolesClaim: string): readonly ProjectRole[] {
  const words = [claimAt(claims, rolesClaim)].flat().filter(word => typeof word === 'string')
  const grants = words.slice(0, maxGrants).flatMap(word => {
    const at = word.lastIndexOf(':')
    if (at < 0) return []
    const [project, role] = [word.slice(0, at), word.slice(at + 1)]
    const key = keyOf(defaultDomainId, project.toLowerCase())
    const projectId = tx.find('projects', 'byName', key)?.id
    const roleId = tx.find('roles', 'byName', role.toLowerCase())?.id
    return projectId === undefined || roleId === undefined ? [] : { projectId, roleId }
  })
  return [...new Map(grants.map(one => [keyOf(one.projectId, one.roleId), one])).values()]
}

/** The value at a path of names, any of which may have dots itself, as `https://example.com/roles`; undefined if there is none. */
function claimAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const members = new Map(Object.entries(value))
  if (members.has(path)) return members.get(path)
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const found = claimAt(members.get(path.slice(0, dot)), path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/** Grants missing roles and revokes others, so that a login writes nothing where nothing has changed. */
function setGrants(tx: Transaction, { id: userId }: User, wanted: readonly ProjectRole[]): void {
  const isWanted = ({ projectId, roleId }: ProjectRole) =>
    wanted.some(one => one.projectId === projectId && one.roleId === roleId)
  for (const row of [...tx.list('roleAssignments', 'byUser', userId)])
    if (!isWanted(row)) tx.delete('roleAssignments', row.id)
  for (const { projectId, roleId } of wanted) {
    const key = keyOf(userId, projectId, roleId)
    if (tx.find('roleAssignments', 'byParts', key) !== undefined) continue
    tx.put('roleAssignments', { ...newStamp(tx, newId()), userId, projectId, roleId })
  }
}
