import { ApiError } from '../errors.ts'
import { type AggregateName, defaultFields, type SummaryField } from './aggregate.ts'

const aggregates: readonly AggregateName[] = [
  'sum',
  'count',
  'mean',
  'min',
  'max',
  'first',
  'last',
  'forecast',
]
const maxFields = 16
const maxTextLength = 1024

const fieldPattern = /^(\w+)\(\s*(\w+)\s*\)(?:\s+as\s+([A-Za-z_]\w{0,63}))?$/i

/** Reads the requested columns of a summary, such as `SUM(qty) AS qty, MAX(price) AS dearest`. The clients' manuals
 *  allow a whole query language here; only aggregates of the two amounts are understood, and `*` is ignored.
 *  `requireDistinctColumns` checks that their names differ, when all columns are known.
 *  @throws ApiError bad_request */
export function parseCustomFields(text: string): readonly SummaryField[] {
  if (text.length > maxTextLength) return refuse(`longer than ${maxTextLength} characters`)
  const parts = text.split(',').map(part => part.trim())
  const fields = parts.filter(part => part !== '*' && part !== '').map(fieldFrom)
  if (fields.length > maxFields) return refuse(`more than ${maxFields} fields`)
  return fields.length === 0 ? defaultFields : fields
}

function fieldFrom(text: string): SummaryField {
  const [, name = '', column = '', alias = name.toLowerCase()] = fieldPattern.exec(text) ?? []
  const aggregate = aggregates.find(each => each === name.toLowerCase())
  if (aggregate === undefined || (column !== 'qty' && column !== 'price')) {
    return refuse(`${text} is none of ${aggregates.join(', ')} of qty or price`)
  }
  return { aggregate, column, alias }
}

function refuse(reason: string): never {
  throw new ApiError('bad_request', `Invalid custom_fields: ${reason}.`)
}
