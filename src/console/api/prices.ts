import type { Static } from 'typebox'
import type { priceListAnswer, pricePreviewAnswer } from '../../api/rating/answers.ts'
import { call } from './client.ts'

export type PriceList = Static<typeof priceListAnswer>

/** A price: of a metric, or of its points whose field has a value. */
export type PriceRule = PriceList['rules'][number]

/** The cost of a month, and what it would have been by other prices. */
export type PricePreview = Static<typeof pricePreviewAnswer>

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
