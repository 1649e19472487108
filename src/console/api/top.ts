import { call } from './client.ts'

/** The most frequent queries of the last minute. */
export type Top = {
  readonly zones: readonly {
    readonly zone_id: string
    readonly zone_name: string
    readonly queries: number
  }[]
  readonly names: readonly {
    readonly name: string
    readonly type: string
    readonly queries: number
  }[]
  readonly clients: readonly { readonly client: string; readonly queries: number }[]
}

export function getTop(): Promise<Top> {
  return call({ path: '/v2/top' })
}
