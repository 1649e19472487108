import { FormatError } from '../dns/format-error.ts'
import { type Name, parseName } from '../dns/name.ts'
import { parseRdata, typeCode } from '../dns/rdata/index.ts'
import { defaultTtlSeconds } from './limits.ts'
import { quote } from './quote.ts'
import { rdatasOf } from './record-values.ts'
import type { Recordset } from './recordset.ts'
import type { Zone } from './zone.ts'

/** A recordset in the form of the data plane (an OwnedRrset of zone/). */
export type RecordsetRrset = {
  readonly owner: Name
  readonly type: number
  readonly ttlSeconds: number
  readonly rdatas: readonly Uint8Array[]
}

type Conversion = {
  /** Undefined where nothing is left to serve, as for a recordset without records. */
  readonly rrset: RecordsetRrset | undefined
  /** What had to be left out and why; undefined: nothing. */
  readonly problem: string | undefined
}

/** Converts a stored recordset to wire form. Values were checked when they were stored, so a problem means a
 *  damaged row or a parser that has become stricter: it drops that value, never the zone. Never throws. */
export function rrsetOf(
  recordset: Pick<Recordset, 'name' | 'type' | 'ttlSeconds' | 'records'>,
  zone: Pick<Zone, 'ttlSeconds'>,
): Conversion {
  const type = typeCode(recordset.type)
  if (type === undefined) {
    const problem = `${recordset.name}: unknown type ${quote(recordset.type)}`
    return { rrset: undefined, problem }
  }
  const ttlSeconds = recordset.ttlSeconds ?? zone.ttlSeconds ?? defaultTtlSeconds
  try {
    const owner = parseName(recordset.name)
    const rdatas = rdatasOf(type, recordset.records)
    return {
      rrset: rdatas.length === 0 ? undefined : { owner, type, ttlSeconds, rdatas },
      problem: undefined,
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return whatIsLeft(recordset, { type, ttlSeconds })
  }
}

/** Converts the valid values of a recordset, one by one. */
function whatIsLeft(
  { name, type: mnemonic, records }: Pick<Recordset, 'name' | 'type' | 'records'>,
  { type, ttlSeconds }: Pick<RecordsetRrset, 'type' | 'ttlSeconds'>,
): Conversion {
  const owner = orProblem(() => parseName(name))
  if (owner.problem !== undefined) return { rrset: undefined, problem: owner.problem }
  const values = records.map(value => orProblem(() => parseRdata(type, value)))
  const rdatas = values.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const fault = values.find(value => value.problem !== undefined)?.problem
  return {
    rrset: rdatas.length === 0 ? undefined : { owner: owner.value, type, ttlSeconds, rdatas },
    problem: fault && `${name} ${mnemonic}: a record is left out: ${fault}`,
  }
}

type Outcome<T> =
  | { readonly value: T; readonly problem: undefined }
  | { readonly value: undefined; readonly problem: string }

function orProblem<T>(parse: () => T): Outcome<T> {
  try {
    return { value: parse(), problem: undefined }
  } catch (error) {
    if (error instanceof FormatError) return { value: undefined, problem: error.message }
    throw error
  }
}
