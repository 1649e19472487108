import { texts } from '../texts.ts'

/** Like `fetch`, with an error that says in the reader's language that no server answers. A proxy in front of a server that is
 *  stopped answers too, but not in JSON.
 *  @throws Error */
export async function reach(url: string, request?: RequestInit): Promise<Response> {
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw new Error(texts.common.unreachable, { cause })
  })
  if (response.status < 502 || response.status > 504) return response
  if (response.headers.get('content-type')?.startsWith('application/json')) return response
  throw new Error(texts.common.unreachable)
}
