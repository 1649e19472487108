import { compile } from '../../validator.ts'
import { checkPath } from './check.ts'
import { type CheckView, checkViewSchema } from './check.view.ts'

/** What the administrator shows to the server. */
export type AdminProof =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** The server asks for nothing, as far as requests from this machine go. */
  | { readonly kind: 'none' }

/** A running server could not be asked to check itself. */
export class CheckUnavailableError extends Error {
  override readonly name = 'CheckUnavailableError'
}

/** Asks the server at `url`, which has no trailing slash, to check itself. Takes as long as the check.
 *  @throws CheckUnavailableError it cannot be reached, refuses, or answers something else */
export async function askForCheck(url: string, proof: AdminProof): Promise<CheckView> {
  const response = await post(url, proof)
  const text = await response.text()
  if (!response.ok) {
    throw new CheckUnavailableError(
      `${url} does not check itself: ${response.status} ${text.slice(0, 200)}`,
    )
  }
  const view = parseJson(text)
  if (compile(checkViewSchema)(view).length > 0) {
    throw new CheckUnavailableError(`what ${url} answers is no report of a check`)
  }
  return view as CheckView
}

async function post(url: string, proof: AdminProof): Promise<Response> {
  try {
    return await fetch(url + checkPath, { method: 'POST', headers: headersFor(proof) })
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const message = reason instanceof Error ? reason.message : String(reason)
    throw new CheckUnavailableError(`${url} does not answer: ${message}`, { cause })
  }
}

function headersFor(proof: AdminProof): Record<string, string> {
  if (proof.kind === 'none') return {}
  if (proof.kind === 'token') return { 'x-auth-token': proof.token }
  const { user, password } = proof
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
