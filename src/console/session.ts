import { computed, signal } from '@preact/signals'
import { reach } from './api/reach.ts'
import { forgetKept } from './kept.ts'
import { texts } from './texts.ts'

/** The signed-in user and the project. */
export type Session = {
  readonly token: string
  readonly user: { readonly id: string; readonly name: string }
  readonly project: Project
  readonly roles: readonly string[]
}

export type Project = { readonly id: string; readonly name: string }

/** The credentials of a sign-in. */
export type Credentials =
  | {
      readonly kind: 'password'
      readonly user: string
      readonly password: string
      /** Given where the user's login requires one. */
      readonly passcode?: string
    }
  | { readonly kind: 'application-credential'; readonly id: string; readonly secret: string }

/** The password is correct, and a passcode is needed as well. */
export class PasscodeNeededError extends Error {
  override readonly name = 'PasscodeNeededError'
}

const storageKey = 'zonewright.session'

/** Undefined while no user is signed in. A tab keeps it until it is closed. */
export const session = signal<Session | undefined>(storedSession())

export const isAdmin = computed(() => session.value?.roles.includes('admin') ?? false)
export const mayChange = computed(
  () => isAdmin.value || (session.value?.roles.includes('member') ?? false),
)

/** The ended session, whose user is asked to sign in again; undefined while the session is valid. */
export const endedSession = signal<Session | undefined>(undefined)

let waiting: { readonly promise: Promise<void>; readonly resume: () => void } | undefined

/** Notes that a token is refused, and resolves once its user has signed in again. */
export function signedOut(token: string): Promise<void> {
  const current = session.value
  if (current === undefined || current.token !== token) return Promise.resolve()
  endedSession.value = current
  waiting ??= newWait()
  return waiting.promise
}

/** @throws Error with the server's message about the credentials */
export async function signIn(credentials: Credentials): Promise<void> {
  keep(await requestToken(identityOf(credentials), undefined))
}

/** Signs in with the code with which an OpenID provider has redirected the user back.
 *  @throws Error with the server's message */
export async function signInByOpenid(
  openid: Readonly<Record<'code' | 'code_verifier' | 'nonce', string>>,
): Promise<void> {
  keep(await requestToken({ methods: ['openid'], openid }, undefined))
}

/** Switches to another project.
 *  @throws Error */
export async function switchProject(project: Project): Promise<void> {
  const current = session.value
  if (current === undefined) return
  const identity = { methods: ['token'], token: { id: current.token } }
  keep(await requestToken(identity, { project: { id: project.id } }))
}

export async function signOut(): Promise<void> {
  const current = session.value
  keep(undefined)
  if (current === undefined) return
  const headers = { 'x-auth-token': current.token, 'x-subject-token': current.token }
  await fetch('/identity/v3/auth/tokens', { method: 'DELETE', headers }).catch(() => undefined)
}

function keep(next: Session | undefined): void {
  if (next?.user.id !== session.peek()?.user.id) forgetKept()
  session.value = next
  endedSession.value = undefined
  if (next === undefined) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, JSON.stringify(next))
  waiting?.resume()
  waiting = undefined
}

function newWait() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resume: resolve }
}

function identityOf(credentials: Credentials): object {
  if (credentials.kind === 'application-credential') {
    const { id, secret } = credentials
    return { methods: ['application_credential'], application_credential: { id, secret } }
  }
  const { user: name, password, passcode } = credentials
  const user = { name, domain: { id: 'default' } }
  const proof = { methods: ['password'], password: { user: { ...user, password } } }
  if (passcode === undefined) return proof
  return { ...proof, methods: ['password', 'totp'], totp: { user: { ...user, passcode } } }
}

async function requestToken(identity: object, scope: object | undefined): Promise<Session> {
  const response = await reach('/identity/v3/auth/tokens?nocatalog', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity, ...(scope && { scope }) } }),
  })
  const body = await response.json()
  if (!response.ok) {
    const message = body.error?.message ?? response.statusText
    if (body.required_auth_methods) throw new PasscodeNeededError(message)
    // A refusal of another project is not about the credentials.
    const isWrong = body.error?.type === 'unauthorized' && scope === undefined
    throw new Error(isWrong ? texts.signIn.wrong : message)
  }
  const token = response.headers.get('x-subject-token') ?? ''
  const { user, project, roles } = body.token
  if (project !== undefined) {
    const names = roles.map(({ name }: { name: string }) => name)
    return { token, user, project, roles: names }
  }
  const [first] = await projectsOf(token)
  if (first === undefined) throw new Error(texts.signIn.noProject)
  const again = { methods: ['token'], token: { id: token } }
  return requestToken(again, { project: { id: first.id } })
}

/** The projects that the user of a token has access to. */
export async function projectsOf(token: string): Promise<readonly Project[]> {
  const response = await reach('/identity/v3/auth/projects', { headers: { 'x-auth-token': token } })
  const body = await response.json()
  return body.projects ?? []
}

function storedSession(): Session | undefined {
  const text = sessionStorage.getItem(storageKey)
  return text === null ? undefined : JSON.parse(text)
}
