/** A receiver that says nothing for so long is tried again later. */
const timeoutMs = 10_000

/** Posts a body and resolves with the status; redirects are not followed, since a signed body is for one
 *  address. A name and a password before the host are shown to the receiver as HTTP Basic has it (RFC 7617).
 *  @throws TypeError there is no answer; DOMException it took too long, or the signal aborted. */
export async function httpPost(
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number> {
  const { address, authorization } = addressOf(url)
  const response = await fetch(address, {
    method: 'POST',
    body: request.body,
    headers: { ...request.headers, ...(authorization !== undefined && { authorization }) },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  await response.body?.cancel()
  return response.status
}

/** Takes an address apart, as `fetch` refuses one with credentials, and quotes them. */
function addressOf(url: string): { readonly address: URL; readonly authorization?: string } {
  const address = new URL(url)
  const { username, password } = address
  if (username === '' && password === '') return { address }
  address.username = ''
  address.password = ''
  const credentials = [username, password].map(decodeURIComponent).join(':')
  return { address, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
