import type { Test } from 'tap'
import type { ApiClient } from './api-client.ts'

// A contract as a table: the client, the request and the response. Responses are compared by `match`: keys that a row
// does not name may have any value, and a pattern matches any text that fits it.

/** One call and its answer. A function supplies a value that is known only when the row is reached. */
export type ContractRow = {
  readonly says: string
  readonly as: ApiClient
  readonly method: string
  readonly path: string | (() => string)
  readonly body?: unknown
  readonly status: number
  readonly headers?: Readonly<Record<string, string | RegExp>>
  /** The whole text where it is one, otherwise what its JSON must match. */
  readonly answers: unknown
  /** Keys that the answer must have, and no others. */
  readonly keys?: readonly string[]
}

/** Tests a server against the rows of a table, in order. */
export async function checkContract(t: Test, rows: readonly ContractRow[]): Promise<void> {
  for (const row of rows) {
    const path = typeof row.path === 'function' ? row.path() : row.path
    const answer = await row.as.call(row.method, path, { body: row.body })
    const title = `${row.method} ${path}: ${row.says}`
    t.equal(answer.status, row.status, `${title}: ${answer.text}`)
    for (const [name, value] of Object.entries(row.headers ?? {})) {
      t.match(answer.headers.get(name), value, `${title}: ${name}`)
    }
    const shown = typeof row.answers === 'string' ? answer.text : answer.body
    t.match(shown, row.answers, title)
    if (row.keys !== undefined) t.same(Object.keys(answer.body).sort(), [...row.keys].sort(), title)
  }
}
