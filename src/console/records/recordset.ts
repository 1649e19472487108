/** A record set as `/v2/zones/…/recordsets` shows it. */
export type Recordset = {
  readonly id: string
  readonly zone_id: string
  readonly zone_name: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: readonly string[]
  readonly description: string | null
  readonly status: 'ACTIVE' | 'PENDING' | 'ERROR'
  /** Why it is not answered as it should be, such as an ALIAS whose target is not known. */
  readonly status_reason: string | null
  readonly version: number
}
