import { KeystoneFailure } from './keystone-failure.ts'

type HttpRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type HttpAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** From the first octet sent to the last received, for both attempts together. */
const timeoutMs = 5_000
/** A token without its catalog takes a few thousand. */
const maxAnswerOctets = 256 * 1024

/** Sends one request to Keystone and reads the whole answer. Redirections are not followed: they could send tokens to another
 *  host.
 *  @throws KeystoneFailure */
export async function askKeystone(request: HttpRequest): Promise<HttpAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    // The server may close a kept-alive connection at the moment it is reused.
    return await send(request, signal).catch(() => send(request, signal))
  } catch (cause) {
    if (cause instanceof KeystoneFailure) throw cause
    throw new KeystoneFailure(`no answer from ${request.url}`, { cause })
  }
}

async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const { method, url, headers, body } = request
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal,
  })
  return { status: response.status, headers: response.headers, text: await textOf(response) }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let octetCount = 0
  for await (const chunk of body ?? []) {
    octetCount += chunk.length
    if (octetCount > maxAnswerOctets) throw new KeystoneFailure('an answer without an end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
