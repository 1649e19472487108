import { type TSchema, Type } from 'typebox'
import type { Changes } from '../../model/changes.ts'
import { defaultQuotas, type QuotaName, type QuotaValues, quotaNames } from '../../model/quota.ts'
import { component, partly, requestBody, whole } from '../openapi/fields.ts'

/** A number of things; below zero, any number of them. */
const quotaField = Type.Integer({ minimum: -1, maximum: 2_147_483_647 })

/** The quotas of a project as one group of the API has them: the bodies that change some of them, and what is shown. Clients of
 *  Designate send back every quota that they are shown, so those that it does not know, which have no limit by default, are
 *  shown only where they are set.
 *  @param names the quotas that it has, and what it calls them */
export function quotaForm(title: string, names: Readonly<Partial<Record<QuotaName, string>>>) {
  const entries = Object.entries(names) as [QuotaName, string][]
  const fieldsWith = <S extends TSchema>(schemaOf: (quota: QuotaName) => S) =>
    Object.fromEntries(entries.map(([quota, name]) => [name, schemaOf(quota)]))
  const isShown = (quota: QuotaName, value: number) => value >= 0 || defaultQuotas[quota] >= 0
  const answerField = (quota: QuotaName): TSchema => {
    const value = defaultQuotas[quota]
    return isShown(quota, value) ? whole(value) : Type.Optional(whole(100))
  }
  return {
    bodySchema: requestBody('quota', partly(fieldsWith(() => quotaField)), {
      [names.zones ?? '']: 100,
    }),
    answer: component(title, fieldsWith(answerField)),
    changesFromBody: (body: Readonly<Record<string, number | undefined>>): Changes<QuotaValues> =>
      Object.fromEntries(entries.map(([quota, name]) => [quota, body[name]])),
    view: (values: QuotaValues): object =>
      Object.fromEntries(
        entries
          .filter(([quota]) => isShown(quota, values[quota]))
          .map(([quota, name]) => [name, values[quota]]),
      ),
  }
}

/** All of them, under the names that Designate's second API has or would have. */
export const allQuotas = quotaForm('Quotas', quotaNames)
