import { type CommitPage, maxPageOctets } from '../../service/history/commit-page.ts'
import type { History, HistoryRequest } from '../../service/history/history.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import type { ProjectSemaphore } from '../../service/rules/project-semaphore.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import { newPageTurns } from '../paging.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { historyAnswer, historyQuery, zoneHistoryAnswer } from './history.answers.ts'
import { commitEntryText, maxPageLines, zoneEntryText } from './history.view.ts'
import { historyLinksOf, parseHistoryRequest } from './history-query.ts'
import { recordsetUrl } from './recordsets.view.ts'

type HistoryServices = { readonly history: History; readonly recordsets: Recordsets }

const ndjson = 'application/x-ndjson'
const refusals = ['invalid_limit', 'invalid_marker'] as const
const ofZoneRefusals = ['zone_not_found', ...refusals] as const
const produces = ['application/json', ndjson]
/** A page whose text is as long ends there. */
const maxTextLength = 2 * 1024 * 1024

/** Who changed what. */
export function historyRoutes({ history, recordsets }: HistoryServices): readonly Route[] {
  const turns = newPageTurns()
  const ofZone = async (context: RequestContext, zoneId: string, recordsetId?: string) => {
    const { caller } = context
    // Checked before anything is sent.
    await history.zoneOf(caller, zoneId)
    return replyOf(context, turns, {
      read: request => history.pageOfZone(caller, zoneId, { ...request, recordsetId }),
      textOf: (entry, maxLines) => zoneEntryText(entry, caller, maxLines),
    })
  }
  return [
    route('GET /zones/:zone_id/history', {
      rule: 'get_zone',
      summary: 'Lists the changes of a zone',
      answers: { 200: zoneHistoryAnswer },
      refusals: ofZoneRefusals,
      query: historyQuery,
      produces,
      handler: context => ofZone(context, context.id('zone_id')),
    }),
    route('GET /zones/:zone_id/recordsets/:recordset_id/history', {
      rule: 'get_recordset',
      summary: 'Lists the changes of a recordset, also of one that is gone',
      answers: { 200: zoneHistoryAnswer },
      refusals: ofZoneRefusals,
      query: historyQuery,
      produces,
      handler: context => ofZone(context, context.id('zone_id'), context.id('recordset_id')),
    }),
    route('GET /recordsets/:recordset_id/history', {
      rule: 'get_recordset',
      summary: 'Says where the changes of a recordset are listed',
      answers: { 301: null },
      refusals: ['recordset_not_found'],
      async handler(context) {
        const id = context.id('recordset_id')
        const location = recordsetUrl(recordsets.find(context.caller, id), context)
        return { status: 301, headers: { location: `${location}/history` } }
      },
    }),
    route('GET /history', {
      rule: 'find_history',
      summary: 'Lists the changes of a project’s zones; for administrators all changes',
      answers: { 200: historyAnswer },
      refusals,
      query: historyQuery,
      produces,
      handler: context =>
        replyOf(context, turns, {
          read: request => history.pageOfAll(context.caller, request),
          textOf: (entry, maxLines) => commitEntryText(entry, context.caller, maxLines),
        }),
    }),
  ]
}

type Reading<E> = {
  read(request: HistoryRequest): Promise<CommitPage<E>>
  textOf(entry: E, maxLines: number): Promise<string>
}

/** A page, or all pages as lines of JSON. */
async function replyOf<E extends { readonly lsn: number }>(
  context: RequestContext,
  turns: ProjectSemaphore,
  reading: Reading<E>,
): Promise<Reply> {
  const { query, header } = context
  const request = parseHistoryRequest(query)
  const isExport =
    query.get('format') === 'ndjson' || requireAcceptable(header('accept'), produces) === ndjson
  if (isExport) {
    const headers = { 'content-type': `${ndjson}; charset=utf-8` }
    const stream = () => linesOf(context, request, reading)
    return { status: 200, headers, stream, heldOctets: maxPageOctets }
  }
  const { texts, nextLsn } = await turns.run(context.caller.projectId, () =>
    pageText(request, reading),
  )
  const links = JSON.stringify(historyLinksOf(context, nextLsn))
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: `{"history":[${texts.join(',')}],"links":${links}}`,
  }
}

/** The entries of a page, as text: fewer where they are long. */
async function pageText<E extends { readonly lsn: number }>(
  request: HistoryRequest,
  { read, textOf }: Reading<E>,
): Promise<{ readonly texts: readonly string[]; readonly nextLsn: number | undefined }> {
  const { entries, nextLsn } = await read(request)
  const texts: string[] = []
  let lengthLeft = maxTextLength
  for (const entry of entries) {
    const text = await textOf(entry, maxPageLines)
    lengthLeft -= text.length
    if (texts.push(text) < entries.length && lengthLeft <= 0) return { texts, nextLsn: entry.lsn }
  }
  return { texts, nextLsn }
}

/** Ends when the credentials of its request become invalid. */
async function* linesOf<E>(
  { confirm }: RequestContext,
  request: HistoryRequest,
  { read, textOf }: Reading<E>,
): AsyncGenerator<string> {
  let beforeLsn = request.beforeLsn
  do {
    const { entries, nextLsn } = await read({ ...request, limit: 100, beforeLsn })
    for (const entry of entries) yield `${await textOf(entry, Number.POSITIVE_INFINITY)}\n`
    beforeLsn = nextLsn
    await confirm()
  } while (beforeLsn !== undefined)
}
