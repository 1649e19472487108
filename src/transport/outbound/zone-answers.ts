import { flags } from '../../dns/header.ts'
import { rcodeOfMessage } from '../../dns/message.ts'
import { lowerCaseName, parseName } from '../../dns/name.ts'
import { rcodeText } from '../../dns/rcode-text.ts'
import { formatRdata, typeCode } from '../../dns/rdata/index.ts'
import { exchange, requestFor, type Server } from './external-target-client.ts'
import { usualTimeoutMs } from './parent-ds.ts'
import type { Asking, NamedBy } from './reach.ts'

/** Queries one server for a record set, with one datagram. Never rejects. */
export function zoneAnswersClient({ randomId, reaches }: Asking) {
  return async (
    { namedBy, ...server }: Server & { readonly namedBy: NamedBy },
    question: { readonly name: string; readonly type: string },
  ) => {
    const name = parseName(question.name)
    const type = typeCode(question.type)
    if (type === undefined) return { reason: `${question.type} is no type` }
    const limits = { timeoutMs: usualTimeoutMs, reach: reaches[namedBy] }
    const outcome = await exchange(server, requestFor(name, { id: randomId(), type }), limits)
    if (outcome.kind === 'failed') return { reason: outcome.reason }
    const { message } = outcome
    if ((message.header.flags & flags.truncated) !== 0)
      return { reason: 'its answer does not fit into a datagram' }
    const own = message.answers.filter(
      record => record.type === type && lowerCaseName(record.owner) === lowerCaseName(name),
    )
    return {
      rcode: rcodeText(rcodeOfMessage(message)),
      isAuthoritative: (message.header.flags & flags.authoritative) !== 0,
      ttlSeconds: own[0]?.ttlSeconds ?? null,
      records: own.map(({ rdata }) => formatRdata(type, rdata)).sort(),
    }
  }
}
