import type { Answer, ApiClient } from '../../helpers/api-client.ts'

/** Reads a stream of events until all that has happened has been told. */
export async function callStream(client: ApiClient, url: string): Promise<Answer> {
  const response = await fetch(new URL(url, client.url), { headers: client.headers })
  const { status, headers } = response
  if (status !== 200 || response.body === null) {
    const text = await response.text()
    return { status, headers, text, body: JSON.parse(text) }
  }
  const reader = response.body.getReader()
  let text = ''
  while (!/^id: [1-9]\d*\n: up to here/m.test(text)) {
    const { value, done } = await reader.read()
    if (done) break
    text += Buffer.from(value).toString('utf8')
  }
  await reader.cancel()
  return { status, headers, text, body: undefined }
}
