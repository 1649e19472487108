// The one catalogue of refusals, keyed by the `type` string that clients see. Status numbers stand nowhere
// else; a dialect may show another number for a type (api/dialect.ts) but never another type.

const catalogue = {
  // 400
  invalid_object: 400,
  bad_request: 400,
  empty_request_body: 400,
  invalid_json: 400,
  invalid_uuid: 400,
  invalid_project: 400,
  invalid_zone_name: 400,
  invalid_recordset_location: 400,
  invalid_ttl: 400,
  invalid_tsigkey: 400,
  invalid_operation: 400,
  invalid_marker: 400,
  marker_not_found: 400,
  invalid_limit: 400,
  invalid_sort_dir: 400,
  invalid_sort_key: 400,
  zone_has_sub_zone: 400,
  zone_is_shared: 400,
  last_server_delete_not_allowed: 400,
  shared_zone_has_recordsets: 400,
  invalid_zone_transfer_request: 400,
  // 401: who are you
  unauthorized: 401,
  missing_project_id: 401,
  // 403: not allowed; the plain dialect shows 401 on DNS resources
  forbidden: 403,
  illegal_child: 403,
  illegal_parent: 403,
  invalid_key: 403,
  // 404
  not_found: 404,
  zone_not_found: 404,
  recordset_not_found: 404,
  record_not_found: 404,
  shared_zone_not_found: 404,
  zone_transfer_request_not_found: 404,
  zone_transfer_accept_not_found: 404,
  zone_export_not_found: 404,
  zone_import_not_found: 404,
  blacklist_not_found: 404,
  tld_not_found: 404,
  tsigkey_not_found: 404,
  pool_not_found: 404,
  server_not_found: 404,
  service_status_not_found: 404,
  budget_not_found: 404,
  report_not_found: 404,
  no_valid_pool_found: 404,
  // 405 … 415
  method_not_allowed: 405,
  unsupported_accept: 406,
  conflict: 409,
  precondition_failed: 412,
  duplicate_zone: 409,
  duplicate_recordset: 409,
  duplicate_record: 409,
  duplicate_shared_zone: 409,
  duplicate_pool: 409,
  duplicate_server: 409,
  duplicate_zone_transfer_request: 409,
  duplicate_floatingip: 409,
  duplicate_blacklist: 409,
  duplicate_tld: 409,
  duplicate_tsigkey: 409,
  duplicate_budget: 409,
  over_quota: 413,
  request_too_large: 413,
  unsupported_content_type: 415,
  too_many_requests: 429,
  // 5xx
  unknown: 500,
  no_servers_configured: 500,
  read_only: 503,
  keystone_communication_failure: 503,
} as const satisfies Record<string, number>

export type ErrorType = keyof typeof catalogue

/** One failed rule of a body: where, what, and the rule's name and value (as JSON Schema has them). */
export type FieldError = {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly validator: string
  readonly validator_value?: unknown
}

/** A refusal that is answered to the caller. Anything else that is thrown is our own fault and shows as 500
 *  without its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly type: ErrorType
  readonly fieldErrors: readonly FieldError[]
  /** When trying again can help; never with over_quota, which clients would then mistake for a rate limit. */
  readonly retryAfterSeconds: number | undefined

  constructor(type: ErrorType, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.type = type
    this.fieldErrors = options.fieldErrors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return catalogue[this.type]
  }
}

export type ApiErrorOptions = {
  readonly fieldErrors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** All types, for the test that holds catalogue, use and documentation together. */
export const errorTypes = Object.keys(catalogue) as readonly ErrorType[]
