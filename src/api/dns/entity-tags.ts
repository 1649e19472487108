import { hash } from 'node:crypto'
import type { RowVersion } from '../../model/stamped.ts'
import type { Reply, RequestContext } from '../route.ts'

// Entity tags of zones and recordsets (RFC 9110 section 8.8.3): `"<id>.<version>.<digest>"`, strong. The digest is that of the
// object as shown, so a tag also changes with shown values outside the row: the status, the shares.

const digestLength = 16
/** An entity tag in a list, with a leading `W/` if it is weak. */
const tagPattern = /(?<=^|[\s,])(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g
const rowPattern = /^(?<id>[^.]+)\.(?<version>\d+)\.[^.]+$/

type TagContext = Pick<RequestContext, 'method' | 'dialect' | 'header'>

/** A reply that shows a row, with its tag. A GET by a client that has the present version gets 304 and no body (section 13.1.2). */
export function taggedReply(context: TagContext, row: RowVersion, reply: Reply): Reply {
  if (!context.dialect.hasEntityTags) return reply
  const text = JSON.stringify(reply.body)
  const digest = hash('sha256', text, 'base64url').slice(0, digestLength)
  const opaque = `${row.id}.${row.version}.${digest}`
  const headers = { ...reply.headers, etag: `"${opaque}"` }
  const known = context.method === 'GET' ? context.header('if-none-match')?.trim() : undefined
  const isKnown = known === '*' || (known !== undefined && isListed(known, opaque))
  if (isKnown) return { status: 304, headers }
  const { status } = reply
  return { status, headers: { ...headers, 'content-type': 'application/json' }, text }
}

/** The versions that a change requires by If-Match (section 13.1.1); undefined where any will do. Only the row's part of a tag
 *  counts: a change cannot overwrite a status that has changed since. Weak tags match nothing. */
export function expectedVersions({
  dialect,
  header,
}: TagContext): readonly RowVersion[] | undefined {
  const expected = dialect.hasEntityTags ? header('if-match')?.trim() : undefined
  if (expected === undefined || expected === '*') return undefined
  return tagsOf(expected).flatMap(({ isWeak, opaque }) => {
    const { id, version } = rowPattern.exec(opaque)?.groups ?? {}
    return isWeak || id === undefined ? [] : [{ id, version: Number(version) }]
  })
}

function isListed(list: string, opaque: string): boolean {
  return tagsOf(list).some(tag => tag.opaque === opaque)
}

function tagsOf(list: string): readonly { readonly isWeak: boolean; readonly opaque: string }[] {
  return [...list.matchAll(tagPattern)].map(([, weak, opaque = '']) => ({
    isWeak: weak !== undefined,
    opaque,
  }))
}
