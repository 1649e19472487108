import type { Appliance } from './appliance.ts'

// Clients that follow changes.

/** An event as a follower receives it. */
export type Told = { readonly id: string; readonly type: string; readonly name: string }

type Following = {
  readonly token: string
  readonly lastId?: string | undefined
  /** The name whose event ends the wait; undefined: until the server is gone. */
  readonly until?: string
}

/** Follows the stream from an id on; returns the last id received, too. */
export async function follow(
  server: Appliance,
  { token, lastId, until }: Following,
): Promise<{ readonly told: readonly Told[]; readonly lastId: string | undefined }> {
  const response = await fetch(`${server.apiUrl}/v2/events`, {
    headers: { 'x-auth-token': token, ...(lastId !== undefined && { 'last-event-id': lastId }) },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const told: Told[] = []
  let last = lastId
  let rest = ''
  for (;;) {
    const value = await nextOf(reader)
    if (value === undefined) {
      if (until === undefined) return { told, lastId: last }
      throw new Error(`the stream has ended; told: ${told.map(({ type }) => type)}`)
    }
    const blocks = (rest + Buffer.from(value).toString('utf8')).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const { id, event } = parseBlock(block)
      last = id ?? last
      if (event === undefined) continue
      told.push(event)
      if (event.name !== until) continue
      await reader.cancel()
      return { told, lastId: last }
    }
  }
}

/** Undefined at the end of the stream, and when the server is gone. */
async function nextOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value
  } catch {
    return undefined
  }
}

function parseBlock(block: string): { readonly id?: string; readonly event?: Told } {
  const lines = block.split('\n').map(line => line.split(/: (.*)/s) as [string, string])
  const fields = new Map(lines)
  const [id, type, data] = ['id', 'event', 'data'].map(name => fields.get(name))
  if (id === undefined || type === undefined) return id === undefined ? {} : { id }
  return { id, event: { id, type, name: JSON.parse(data ?? '{}').payload?.name ?? '' } }
}
