// The only catalogue of refusals, keyed by the `type` string that clients see, with what each means and, where something is
// missing, what Designate calls it. Status numbers are defined nowhere else; a dialect may show another number for a type
// (api/dialect.ts) but never another type.

const catalogue = {
  // 400
  invalid_object: [400, 'a body is not what its schema or its resource’s rules say'],
  bad_request: [
    400,
    'a request makes no sense as it stands: unknown filter, a key twice, a header missing',
  ],
  empty_request_body: [400, 'a body is needed and there is none'],
  invalid_json: [400, 'a body is not JSON, or not UTF-8'],
  invalid_uuid: [400, 'an id in the path is no UUID'],
  invalid_project: [400, 'there is no such project'],
  invalid_zone_name: [400, 'a zone may not have this name'],
  invalid_recordset_location: [400, 'a recordset may not stand where its name says'],
  invalid_ttl: [400, 'a TTL below what is allowed'],
  invalid_tsigkey: [400, 'a key’s pool or zone does not exist'],
  invalid_operation: [400, 'the resource’s state does not allow it'],
  invalid_marker: [400, 'a marker that is no id'],
  marker_not_found: [400, 'a marker that is no item of the list'],
  invalid_limit: [400, 'a limit that is neither a positive number nor max'],
  invalid_sort_dir: [400, 'a direction other than asc and desc'],
  invalid_sort_key: [400, 'a list cannot be sorted by this'],
  zone_has_sub_zone: [400, 'zones below this one must go first'],
  zone_is_shared: [400, 'the zone’s shares must be removed first'],
  last_server_delete_not_allowed: [400, 'a pool keeps at least one name server'],
  shared_zone_has_recordsets: [400, 'the project still has recordsets in the zone'],
  invalid_zone_transfer_request: [400, 'the transfer request has been used'],
  // 401: who are you
  unauthorized: [401, 'credentials are missing, wrong, expired or revoked'],
  second_factor_required: [
    401,
    'the password is right, and the user’s login needs a passcode besides',
  ],
  missing_project_id: [401, 'credentials are not for a project'],
  // 403: not allowed; the plain dialect shows 401 on DNS resources
  forbidden: [403, 'the caller’s roles do not allow it'],
  illegal_child: [403, 'the name is below another project’s zone'],
  illegal_parent: [403, 'the name is above another project’s zone'],
  invalid_key: [403, 'the key is not the transfer request’s'],
  // 404
  not_found: [404, 'there is nothing at this address'],
  zone_not_found: [404, 'no such zone, or none that the caller may see', 'Zone'],
  recordset_not_found: [404, 'no such recordset in this zone', 'RecordSet'],
  record_not_found: [404, 'no such record in this domain', 'Record'],
  shared_zone_not_found: [404, 'no such share of this zone', 'Shared Zone'],
  zone_transfer_request_not_found: [404, 'no such transfer request', 'ZoneTransferRequest'],
  zone_transfer_accept_not_found: [
    404,
    'no such transfer accept, or another project’s',
    'ZoneTransferAccept',
  ],
  zone_export_not_found: [404, 'no such export, or another project’s', 'ZoneExport'],
  zone_import_not_found: [404, 'no such import, or another project’s', 'ZoneImport'],
  blacklist_not_found: [404, 'no such blacklist', 'Blacklist'],
  tld_not_found: [404, 'no such TLD', 'Tld'],
  dnssec_policy_not_found: [404, 'no such DNSSEC policy', 'DnssecPolicy'],
  dnssec_key_not_found: [404, 'the zone has no such key', 'DnssecKey'],
  tsigkey_not_found: [404, 'no such TSIG key', 'TsigKey'],
  pool_not_found: [404, 'no such pool', 'Pool'],
  server_not_found: [404, 'no such name server in the default pool', 'Server'],
  service_status_not_found: [404, 'no such part of the server', 'ServiceStatus'],
  budget_not_found: [404, 'no such budget, or another project’s', 'Budget'],
  report_not_found: [404, 'nothing of that name is counted', 'Report'],
  no_valid_pool_found: [404, 'no pool takes the zone'],
  // 405 … 415
  method_not_allowed: [405, 'the path exists and has not this method; Allow tells those it has'],
  unsupported_accept: [406, 'the client takes nothing that can be answered'],
  conflict: [
    409,
    'a name is taken, something still depends on what is to go (identity, the hashmap), or it is still there (nodes)',
  ],
  precondition_failed: [412, 'a zone or recordset is not as the request expects it'],
  duplicate_zone: [409, 'the name is taken'],
  duplicate_recordset: [409, 'name and type are taken'],
  duplicate_record: [409, 'the recordset has this value'],
  duplicate_shared_zone: [409, 'the zone is shared with this project already'],
  duplicate_pool: [409, 'a pool of that name exists'],
  duplicate_server: [409, 'the default pool has a name server of that name'],
  duplicate_zone_transfer_request: [409, 'the zone is offered already'],
  duplicate_floatingip: [409, 'the address is lent already'],
  duplicate_blacklist: [409, 'the pattern is listed'],
  duplicate_tld: [409, 'the name is listed'],
  duplicate_dnssec_policy: [409, 'there is a DNSSEC policy of the name'],
  duplicate_tsigkey: [409, 'the name is taken'],
  duplicate_budget: [409, 'the project has a budget already'],
  request_in_progress: [409, 'a request with this Idempotency-Key is still being handled'],
  over_quota: [413, 'the project has used up what it may have'],
  request_too_large: [413, 'a body above 1 MiB'],
  unsupported_content_type: [415, 'a body that is not application/json'],
  idempotency_key_reused: [422, 'the Idempotency-Key was used for another request'],
  too_many_requests: [
    429,
    'too many failed logins, changes, imports or long bodies at once; Retry-After tells when to go on',
  ],
  // 5xx
  unknown: [500, 'our fault; the log has it under the request’s id'],
  no_servers_configured: [500, 'the pool has no name server to put into zones'],
  read_only: [
    503,
    'the disk refuses writes: the message says why, and whether that passes by itself; reading goes on',
  ],
  keystone_communication_failure: [
    503,
    'the external Keystone or the OpenID provider does not answer, so nobody can be known; Retry-After',
  ],
} as const satisfies Record<string, readonly [status: number, when: string, missing?: string]>

export type ErrorType = keyof typeof catalogue

/** One failed rule of a body: where, what, and the rule's name and value (as JSON Schema has them). */
export type FieldError = {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly validator: string
  readonly validator_value?: unknown
}

/** What is wrong with each field, in one text. */
export function wordsOf(fieldErrors: readonly FieldError[]): string {
  const words = fieldErrors.map(({ path, message }) => [
    ...(path.length > 0 ? [path.join('.')] : []),
    message,
  ])
  return words.map(parts => parts.join(': ')).join('; ')
}

/** A refusal that is sent to the client. Anything else that is thrown is a defect of the server and is answered with 500,
 *  without its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly type: ErrorType
  readonly fieldErrors: readonly FieldError[]
  /** After how long a retry can help; never set with over_quota, which clients would then mistake for a rate limit. */
  readonly retryAfterSeconds: number | undefined

  constructor(type: ErrorType, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.type = type
    this.fieldErrors = options.fieldErrors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return catalogue[this.type][0]
  }
}

/** The types that name what is missing. */
export type Missing = {
  [T in ErrorType]: (typeof catalogue)[T] extends readonly [number, string, string] ? T : never
}[ErrorType]

/** Returns what was found, if anything.
 *  @throws ApiError `type`: there is no such thing, or none that the caller may see */
export function requireFound<T>(found: T | undefined, type: Missing): T {
  return found ?? refuseMissing(type)
}

/** @throws ApiError `type`, always */
export function refuseMissing(type: Missing): never {
  throw new ApiError(type, `Could not find ${catalogue[type][2]}`)
}

type ApiErrorOptions = {
  readonly fieldErrors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** The status of a type, and when a request is refused with that type. */
export function refusalOf(type: ErrorType): RefusalFacts {
  const [status, when] = catalogue[type]
  return { type, status, when }
}

type RefusalFacts = {
  readonly type: ErrorType
  readonly status: number
  readonly when: string
}

/** All types, for the test that compares catalogue, use and documentation. */
export const errorTypes = Object.keys(catalogue) as readonly ErrorType[]
