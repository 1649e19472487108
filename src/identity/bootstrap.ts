import {
  adminName,
  builtInRoles,
  defaultDomainId,
  type Project,
  type Role,
  type User,
} from '../model/identity.ts'
import { newStamp, updatedRow } from '../model/stamped.ts'
import { keyOf } from '../store/indexes.ts'
import type { Store, Transaction } from '../store/store.ts'
import { findDefaultDomainUser } from './accounts.ts'
import type { Grant } from './directory/role-assignments.ts'
import { newId } from './new-id.ts'
import { generatePassword, hashPassword, type ScryptCost, verifyPassword } from './passwords.ts'
import { newSigningKey } from './tokens.ts'

export type BootstrapOptions = {
  /** The administrator's password from the settings; generated at the first start when not given. */
  readonly adminPassword?: string | undefined
  /** Stores a generated password; called before it takes effect, so that it cannot be lost. Returns a function that removes it
   *  again, for when another node was faster. */
  readonly keepPassword?: ((password: string) => Promise<() => Promise<void>>) | undefined
  readonly cost: ScryptCost
  /** Runs the writes now, or once the store takes changes; at once if not given. */
  readonly whenWritable?: ((work: () => Promise<void>) => Promise<void>) | undefined
}

type Bootstrap = {
  readonly signingKey: Buffer
  /** The administrator's new password, to be shown once; undefined when it was given or is known already. */
  readonly generatedPassword: string | undefined
}

const roleDescriptions = {
  admin: 'May do everything, in all projects',
  member: 'May change what is the project’s',
  reader: 'May see what is the project’s',
} as const satisfies Record<(typeof builtInRoles)[number], string>

const signingKeyId = 'token-signing-key'

/** Ensures that there is a signing key and an account that can log in: domain Default with user, project and role `admin`. A
 *  password in the settings always wins, so an operator who lost it can set another. Of several nodes that start for the first
 *  time at once, one creates all of it. */
export async function bootstrapIdentity(
  store: Store,
  { adminPassword, keepPassword, cost, whenWritable = work => work() }: BootstrapOptions,
): Promise<Bootstrap> {
  const signingKey = await getSigningKey(store)
  if (adminPassword !== undefined) {
    await whenWritable(() => ensureAdmin(store, adminPassword, cost))
    return { signingKey, generatedPassword: undefined }
  }
  if (store.get('domains', defaultDomainId) !== undefined) {
    return { signingKey, generatedPassword: undefined }
  }
  const password = generatePassword()
  const takeBack = await keepPassword?.(password)
  let isFirst = true
  await whenWritable(async () => {
    isFirst = await makeAdmin(store, password, cost)
    if (!isFirst) await takeBack?.()
  })
  return { signingKey, generatedPassword: isFirst ? password : undefined }
}

async function getSigningKey(store: Store): Promise<Buffer> {
  const stored = store.get('secrets', signingKeyId)
  if (stored !== undefined) return Buffer.from(stored.value, 'base64')
  return store.commit(tx => {
    const stored = tx.get('secrets', signingKeyId)
    if (stored !== undefined) return Buffer.from(stored.value, 'base64')
    const key = newSigningKey()
    tx.put('secrets', { ...newStamp(tx, signingKeyId), value: key.toString('base64') })
    return key
  })
}

/** Returns false where there is an administrator already. */
async function makeAdmin(store: Store, password: string, cost: ScryptCost): Promise<boolean> {
  const passwordHash = await hashPassword(password, cost)
  return store.commit(tx => {
    if (tx.get('domains', defaultDomainId) !== undefined) return false
    putAdmin(tx, passwordHash)
    return true
  })
}

async function ensureAdmin(store: Store, password: string, cost: ScryptCost): Promise<void> {
  let isDone = false
  while (!isDone) {
    const stored = findDefaultDomainUser(store, adminName)
    // Hashing is slow and a commit must be fast, so it is done before.
    const isCurrent = stored !== undefined && (await verifyPassword(password, stored.passwordHash))
    const passwordHash = isCurrent ? stored.passwordHash : await hashPassword(password, cost)
    isDone = await store.commit(tx => {
      // Another node may have set it meanwhile, probably to the same.
      const present = tx.find('users', 'byName', keyOf(defaultDomainId, adminName))
      if (present?.passwordHash !== stored?.passwordHash) return false
      putAdmin(tx, passwordHash)
      return true
    })
  }
}

function putAdmin(tx: Transaction, passwordHash: string): void {
  ensureDomain(tx)
  const projectId = ensureProject(tx)
  const userId = ensureUser(tx, { projectId, passwordHash })
  for (const name of builtInRoles) ensureRole(tx, name)
  ensureAssignment(tx, { userId, projectId, roleId: ensureRole(tx, adminName) })
}

function ensureDomain(tx: Transaction): void {
  if (tx.get('domains', defaultDomainId) !== undefined) return
  const text = { name: 'Default', description: 'The domain that exists from the first start' }
  tx.put('domains', { ...newStamp(tx, defaultDomainId), ...text, isEnabled: true })
}

function ensureProject(tx: Transaction): string {
  const found = tx.find('projects', 'byName', keyOf(defaultDomainId, adminName))
  if (found !== undefined) return found.id
  const project: Project = {
    ...newStamp(tx, newId()),
    domainId: defaultDomainId,
    name: adminName,
    description: 'The administrator’s project',
    isEnabled: true,
  }
  return tx.put('projects', project).id
}

function ensureUser(
  tx: Transaction,
  { projectId, passwordHash }: { readonly projectId: string; readonly passwordHash: string },
): string {
  const found = tx.find('users', 'byName', keyOf(defaultDomainId, adminName))
  if (found !== undefined) {
    if (found.passwordHash !== passwordHash)
      tx.put('users', updatedRow(tx, found, { passwordHash }))
    return found.id
  }
  const user: User = {
    ...newStamp(tx, newId()),
    domainId: defaultDomainId,
    name: adminName,
    description: 'The first administrator',
    email: null,
    isEnabled: true,
    defaultProjectId: projectId,
    passwordHash,
  }
  return tx.put('users', user).id
}

function ensureRole(tx: Transaction, name: (typeof builtInRoles)[number]): string {
  const found = tx.find('roles', 'byName', name)
  if (found !== undefined) return found.id
  const role: Role = { ...newStamp(tx, newId()), name, description: roleDescriptions[name] }
  return tx.put('roles', role).id
}

function ensureAssignment(tx: Transaction, parts: Grant): void {
  const { userId, projectId, roleId } = parts
  if (tx.find('roleAssignments', 'byParts', keyOf(userId, projectId, roleId)) !== undefined) return
  tx.put('roleAssignments', { ...newStamp(tx, newId()), ...parts })
}
