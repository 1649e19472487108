import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { PriceModel } from '../../rating/hashmap/price-model.ts'
import { type AppliedPrices, priceModels } from '../../rating/hashmap/price-models.ts'
import type { Route } from '../route.ts'
import { pricesAnswer } from './answers.ts'

/** Where a running server is asked to apply a price model. */
export const pricesPath = '/v2/prices'

export const appliedPricesSchema = Type.Object({
  model: Type.String(),
  added: Type.Integer(),
  present: Type.Integer(),
  kept: Type.Array(Type.String()),
})

export type AppliedPricesView = Type.Static<typeof appliedPricesSchema>

export function appliedPricesView(
  model: string,
  { addedCount, presentCount, kept }: AppliedPrices,
): AppliedPricesView {
  return { model, added: addedCount, present: presentCount, kept: [...kept] }
}

/** Price models: rules to start from. */
export function priceRoutes(
  apply: (model: PriceModel) => Promise<AppliedPrices>,
): readonly Route[] {
  return [
    {
      method: 'PUT',
      path: '/:model',
      rule: 'rating:module_config',
      summary: 'Applies a price model',
      answers: { 200: pricesAnswer },
      refusals: ['not_found'],
      async handler({ parameters }) {
        const name = parameters.model ?? ''
        const model = priceModels.get(name)
        if (model === undefined)
          throw new ApiError('not_found', `There is no price model '${name}'`)
        return { status: 200, body: appliedPricesView(name, await apply(model)) }
      },
    },
  ]
}
