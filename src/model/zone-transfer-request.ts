import type { Stamped } from './stamped.ts'

/** ACTIVE until it is accepted. */
export type ZoneTransferRequestStatus = 'ACTIVE' | 'COMPLETE'

/** An offer to hand a zone over to whoever knows the key. */
export type ZoneTransferRequest = Stamped & {
  readonly zoneId: string
  readonly projectId: string
  /** The one project that may accept it; null: any. */
  readonly targetProjectId: string | null
  readonly description: string | null
  /** To be sent to the recipient by other means. */
  readonly key: string
  readonly status: ZoneTransferRequestStatus
}

export type ZoneTransferRequestDraft = Pick<ZoneTransferRequest, 'targetProjectId' | 'description'>

/** What is to change of a request; undefined leaves as it is. The last two may be sent, but not changed. */
export type ZoneTransferRequestPatch = {
  readonly description?: string | null | undefined
  readonly targetProjectId?: string | null | undefined
  readonly zoneId?: string | undefined
}

const keyCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const keyLength = 8

/** Makes a key. `randomBelow` returns an unpredictable whole number from 0 to below its argument. */
export function newTransferKey(randomBelow: (end: number) => number): string {
  const characters = Array.from({ length: keyLength }, () =>
    keyCharacters.charAt(randomBelow(keyCharacters.length)),
  )
  return characters.join('')
}
