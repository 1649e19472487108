import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import { mapInSlices } from '../../time-slice.ts'
import type { Reply } from '../route.ts'

const mebibyte = 1024 * 1024

const usualBounds = {
  /** How long an answer is kept. */
  keptMillis: 24 * 3_600_000,
  keysEach: 1_000,
  /** Octets of the answers of a project. */
  octetsEach: 4 * mebibyte,
  octetsAll: 64 * mebibyte,
}

/** The most characters of a key. */
const maxKeyLength = 255
/** The memory of an entry besides its answer. */
const entryOctets = 512

/** A request with a key. */
export type KeyedRequest = {
  readonly key: string
  readonly userId: string
  /** Empty for requests without a project. */
  readonly projectId: string
  /** Method and address, with the query. */
  readonly target: string
  readonly body: unknown
}

type Entry = {
  readonly id: string
  readonly projectId: string
  readonly fingerprint: string
  /** Undefined while the request is being handled. */
  reply: Reply | undefined
  octets: number
  answeredAt: number
}

type Project = { readonly answered: Map<string, Entry>; octets: number }

/** Answers of POST requests by their idempotency keys (draft-ietf-httpapi-idempotency-key-header-06), so that a repeated request
 *  gets the first answer and has no effect. Refusals changed nothing and are not kept. Answers are in memory: after a restart,
 *  and beyond the bounds, a repeated request is handled again. */
export class IdempotencyKeys {
  readonly #bounds: Readonly<typeof usualBounds>
  readonly #now: () => number
  readonly #running = new Map<string, Entry>()
  /** The oldest first, of all projects and of each. */
  readonly #answered = new Map<string, Entry>()
  readonly #projects = new Map<string, Project>()
  #octets = 0

  constructor({ bounds = usualBounds, now = () => performance.now() } = {}) {
    this.#bounds = bounds
    this.#now = now
  }

  /** Handles a request, or returns the answer that it got before.
   *  @throws ApiError request_in_progress, idempotency_key_reused, bad_request, and what the handler throws */
  async answer(request: KeyedRequest, handle: () => Promise<Reply>): Promise<Reply> {
    requireKey(request.key)
    const id = JSON.stringify([request.projectId, request.userId, request.key])
    const fingerprint = await fingerprintOf(request)
    this.#forgetOld()
    const known = this.#running.get(id) ?? this.#answered.get(id)
    if (known !== undefined) return repeated(known, fingerprint)
    const { projectId } = request
    const entry: Entry = {
      id,
      projectId,
      fingerprint,
      reply: undefined,
      octets: entryOctets,
      answeredAt: 0,
    }
    this.#running.set(id, entry)
    try {
      const reply = await wholeReply(await handle())
      this.#keep(entry, reply)
      return reply
    } finally {
      this.#running.delete(id)
    }
  }

  #keep(entry: Entry, reply: Reply): void {
    entry.reply = reply
    entry.octets += Buffer.byteLength(reply.text ?? '')
    entry.answeredAt = this.#now()
    const project = this.#projects.get(entry.projectId) ?? { answered: new Map(), octets: 0 }
    this.#projects.set(entry.projectId, project)
    this.#answered.set(entry.id, entry)
    project.answered.set(entry.id, entry)
    project.octets += entry.octets
    this.#octets += entry.octets
    const { keysEach, octetsEach, octetsAll } = this.#bounds
    while (project.answered.size > keysEach || project.octets > octetsEach)
      this.#forgetFirst(project.answered)
    while (this.#octets > octetsAll) this.#forgetFirst(this.#answered)
  }

  #forgetOld(): void {
    const since = this.#now() - this.#bounds.keptMillis
    for (const entry of this.#answered.values()) {
      if (entry.answeredAt > since) return
      this.#forgetFirst(this.#answered)
    }
  }

  #forgetFirst(entries: ReadonlyMap<string, Entry>): void {
    const [entry] = entries.values()
    if (entry === undefined) return
    const { id, projectId, octets } = entry
    this.#answered.delete(id)
    this.#octets -= octets
    const project = this.#projects.get(projectId)
    if (project === undefined) return
    project.answered.delete(id)
    project.octets -= octets
    if (project.answered.size === 0) this.#projects.delete(projectId)
  }
}

/** @throws ApiError bad_request */
function requireKey(key: string): void {
  if (key.trim() !== '' && key.length <= maxKeyLength) return
  throw new ApiError('bad_request', `Idempotency-Key must have 1 to ${maxKeyLength} characters`)
}

/** @throws ApiError request_in_progress, idempotency_key_reused */
function repeated({ reply, fingerprint }: Entry, asked: string): Reply {
  if (fingerprint !== asked)
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request',
    )
  if (reply === undefined)
    throw new ApiError('request_in_progress', 'The request with this key is being handled')
  return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } }
}

/** The order of keys in a body matters: a client repeats a request unchanged. */
async function fingerprintOf({ target, body }: KeyedRequest): Promise<string> {
  const hash = createHash('sha256').update(target).update('\0')
  if (Array.isArray(body))
    await mapInSlices(body as readonly Uint8Array[], piece => hash.update(piece))
  else hash.update(typeof body === 'string' ? body : JSON.stringify(body ?? null))
  return hash.digest('base64')
}

/** A reply as one text, so that it can be sent more than once. */
async function wholeReply(reply: Reply): Promise<Reply> {
  const { status, headers = {} } = reply
  if (reply.body !== undefined) {
    const asJson = { 'content-type': 'application/json', ...headers }
    return { status, headers: asJson, text: JSON.stringify(reply.body) }
  }
  if (reply.stream === undefined) return reply
  const pieces: string[] = []
  for await (const piece of reply.stream(new AbortController().signal)) pieces.push(String(piece))
  return { status, headers, text: pieces.join('') }
}
