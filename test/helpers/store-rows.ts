import type { Recordset } from '../../src/model/recordset.ts'
import type { Zone } from '../../src/model/zone.ts'

// Rows for tests that depend only on ids, times and index keys, such as those of the store.

export const testZoneId = '2f0a1e70-6f0c-4c5f-8d5e-1b7d6f1d0a01'

export function zoneRow(differences: Partial<Zone> = {}): Zone {
  return {
    id: testZoneId,
    version: 1,
    createdAt: 1,
    updatedAt: null,
    projectId: 'project',
    poolId: 'pool',
    name: 'example.com.',
    type: 'PRIMARY',
    email: 'hostmaster@example.com',
    ttlSeconds: 3600,
    serial: 1,
    description: null,
    masters: [],
    attributes: {},
    soaTimers: {
      refreshSeconds: 3600,
      retrySeconds: 600,
      expireSeconds: 86_400,
      minimumSeconds: 3600,
    },
    isDeleting: false,
    transferredAt: null,
    ...differences,
  }
}

export function recordsetRow(differences: Partial<Recordset> = {}): Recordset {
  return {
    id: 'c7a3d1b2-0000-4000-8000-000000000001',
    version: 1,
    createdAt: 1,
    updatedAt: null,
    zoneId: testZoneId,
    name: 'www.example.com.',
    type: 'A',
    ttlSeconds: null,
    description: null,
    records: ['192.0.2.1'],
    isManaged: false,
    ...differences,
  }
}

/** An id in the form that the server generates, different for each number. */
export function uuidOf(number: number): string {
  const hex = (Math.imul(number + 1, 0x9e37_79b1) >>> 0).toString(16).padStart(8, '0')
  return `${hex}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}
