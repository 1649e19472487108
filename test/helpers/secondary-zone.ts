import { newTransferState, type Zone } from '../../src/model/zone.ts'

/** The id of the SECONDARY zone of a number. */
export function secondaryId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** A SECONDARY zone as it is stored when it is new: example., with one master, due at `atMicros`. */
export function newSecondary(changes: Partial<Zone> = {}, atMicros = 0): Zone {
  return {
    id: secondaryId(1),
    version: 1,
    createdAt: atMicros,
    updatedAt: null,
    projectId: 'project-1',
    poolId: 'pool-1',
    name: 'example.',
    type: 'SECONDARY',
    email: null,
    ttlSeconds: null,
    serial: 1,
    description: null,
    masters: ['192.0.2.1'],
    attributes: {},
    soaTimers: { refreshSeconds: 0, retrySeconds: 0, expireSeconds: 0, minimumSeconds: 0 },
    isDeleting: false,
    transferredAt: null,
    transfer: newTransferState(atMicros),
    ...changes,
  }
}
