import type { Recordset } from '../../src/console/records/recordset.ts'

/** A record set as the API shows it. */
export const recordset: Recordset = {
  id: 'r1',
  zone_id: 'z1',
  zone_name: 'example.com.',
  project_id: 'p1',
  name: 'www.example.com.',
  type: 'A',
  ttl: null,
  records: ['192.0.2.1'],
  description: null,
  status: 'ACTIVE',
  action: 'NONE',
  status_reason: null,
  version: 4,
  created_at: '2026-11-01T12:00:00.000000',
  updated_at: null,
  links: { self: 'http://127.0.0.1:9001/v2/zones/z1/recordsets/r1' },
}
