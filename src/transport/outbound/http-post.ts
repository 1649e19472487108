/** A receiver that says nothing for so long is tried again later. */
const timeoutMs = 10_000

/** Posts a body and resolves with the status; redirects are not followed, since a signed body is for one
 *  address.
 *  @throws TypeError there is no answer; DOMException it took too long, or the signal aborted. */
export async function httpPost(
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    ...request,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  await response.body?.cancel()
  return response.status
}
