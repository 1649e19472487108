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
  readonly version: number
}
