import { call } from './client.ts'

/** A price: of a metric, or of its points whose field has a value. */
export type PriceRule = {
  readonly service: string
  readonly field?: string
  readonly value?: string
  readonly type: 'flat' | 'rate'
  readonly cost: string
  readonly description: string
}

export type PriceList = { readonly rules: readonly PriceRule[]; readonly other_rules: number }

type Previewed = { readonly cost: string; readonly preview: string }

/** The cost of a month, and what it would have been by other prices. */
export type PricePreview = Previewed & {
  readonly month: string
  readonly metrics: readonly (Previewed & {
    readonly metric: string
    readonly unit: string
    readonly quantity: string
  })[]
  readonly projects: readonly (Previewed & { readonly project_id: string })[]
}

const path = '/v2/prices'

export function getPrices(): Promise<PriceList> {
  return call({ path })
}

export function setPrices(rules: readonly PriceRule[]): Promise<PriceList> {
  return call({ method: 'PUT', path, body: { rules } })
}

/** @param month such as 2026-11 */
export function previewPrices(month: string, rules: readonly PriceRule[]): Promise<PricePreview> {
  return call({ method: 'POST', path: `${path}/preview`, body: { month, rules } })
}
