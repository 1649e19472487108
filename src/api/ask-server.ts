import { OperatorError } from '../operator-error.ts'

/** The administrator's credentials for the server. */
export type AdminProof =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** The server needs none for requests from this machine. */
  | { readonly kind: 'none' }

/** A running server could not be asked for something. */
export class ServerUnavailableError extends OperatorError {}

/** A running server, and the credentials for it. */
export type RunningServer = {
  /** Without a trailing slash. */
  readonly url: string
  readonly proof: AdminProof
}

/** Makes a request to a running server and returns the JSON of its answer, undefined where there is none. Waits as long as the
 *  server takes.
 *  @param what the end of "… does not"
 *  @throws ServerUnavailableError it cannot be reached, or refuses */
export async function askServer(
  { url, proof }: RunningServer,
  { method, path, what }: { readonly method: string; readonly path: string; readonly what: string },
): Promise<unknown> {
  const response = await send(url, () => fetch(url + path, { method, headers: headersFor(proof) }))
  const text = await response.text()
  if (!response.ok)
    throw new ServerUnavailableError(
      `${url} does not ${what}: ${response.status} ${text.slice(0, 200)}`,
    )
  return parseJson(text)
}

async function send(url: string, request: () => Promise<Response>): Promise<Response> {
  try {
    return await request()
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const message = reason instanceof Error ? reason.message : String(reason)
    throw new ServerUnavailableError(`${url} does not answer: ${message}`, { cause })
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
