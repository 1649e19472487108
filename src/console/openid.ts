import { signal } from '@preact/signals'
import { type Session, signInByOpenid } from './session.ts'

// Signing in by an OpenID provider: authorization code with PKCE (RFC 7636). The secrets of the flow stay in the tab, so a
// code is of no use elsewhere. A session that has ended is renewed in a separate window, so that no input is lost.

type Provider = {
  readonly authorization_endpoint: string
  readonly client_id: string
  readonly scope: string
  readonly redirect_uri: string
}

/** What a tab stores while its user is at the provider. */
type Pending = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly path: string
}

/** The parameters with which the provider redirects the user back. */
type Answer = {
  readonly state: string
  readonly code: string | null
  readonly error: string | null
}

const storageKey = 'zonewright.openid'
const channelName = 'zonewright.openid'

/** Why the last sign-in failed, in the words of the provider or the server. */
export const openidFailure = signal<string | undefined>(undefined)

/** The provider that this server delegates logins to; undefined where there is none. */
export async function findProvider(): Promise<Provider | undefined> {
  const response = await fetch('/identity/v3/auth/openid')
  return response.ok ? ((await response.json()).openid ?? undefined) : undefined
}

/** Navigates to the provider, or opens it in another window where a session is to be renewed. */
export async function goToProvider(provider: Provider, ended: Session | undefined): Promise<void> {
  // Opened at once: browsers allow new windows only in response to a click.
  const other = ended === undefined ? undefined : window.open('', '_blank')
  const pending: Pending = {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    path: location.pathname,
  }
  const address = await addressOf(provider, pending)
  if (other == null) {
    sessionStorage.setItem(storageKey, JSON.stringify(pending))
    location.assign(address)
    return
  }
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (data.state !== pending.state) return
    channel.close()
    void take(data, pending)
  }
  other.location.assign(address)
}

/** Signs in if the page was opened by a redirect of the provider.
 *  @returns whether this window is done and shows nothing more */
export async function comeFromProvider(): Promise<boolean> {
  const query = new URLSearchParams(location.search)
  const state = query.get('state')
  if (state === null || !(query.has('code') || query.has('error'))) return false
  const error = query.get('error_description') ?? query.get('error')
  const answer: Answer = { state, code: query.get('code'), error }
  const text = sessionStorage.getItem(storageKey)
  const pending: Pending | undefined = text === null ? undefined : JSON.parse(text)
  sessionStorage.removeItem(storageKey)
  if (pending?.state === state) {
    history.replaceState(null, '', pending.path)
    await take(answer, pending)
    return false
  }
  history.replaceState(null, '', '/console/')
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(answer)
  channel.close()
  window.close()
  return true
}

async function take({ code, error }: Answer, { nonce, verifier }: Pending): Promise<void> {
  openidFailure.value = undefined
  try {
    if (code === null) throw new Error(error ?? '')
    await signInByOpenid({ code, code_verifier: verifier, nonce })
  } catch (failure) {
    openidFailure.value = (failure as Error).message
  }
}

async function addressOf(provider: Provider, { state, nonce, verifier }: Pending) {
  const { authorization_endpoint: endpoint, client_id, scope, redirect_uri } = provider
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const address = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    ...{ client_id, scope, redirect_uri, state, nonce },
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** 256 random bits. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

function base64url(octets: Uint8Array): string {
  const text = btoa(String.fromCharCode(...octets))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
