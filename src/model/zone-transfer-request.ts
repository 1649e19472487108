import type { Changes } from './changes.ts'
import type { Stamped } from './stamped.ts'

/** ACTIVE until it is accepted. */
type ZoneTransferRequestStatus = 'ACTIVE' | 'COMPLETE'

/** An offer to transfer a zone to any project that knows the key. */
export type ZoneTransferRequest = Stamped & {
  readonly zoneId: string
  readonly projectId: string
  /** The one project that may accept it; null: any. */
  readonly targetProjectId: string | null
  readonly description: string | null
  /** The owner sends it to the recipient by other means. */
  readonly key: string
  readonly status: ZoneTransferRequestStatus
}

export type ZoneTransferRequestDraft = Pick<ZoneTransferRequest, 'targetProjectId' | 'description'>

/** Changes of a request; an undefined field stays as it is. The last two may be sent, but not changed. */
export type ZoneTransferRequestPatch = Changes<
  Pick<ZoneTransferRequest, 'description' | 'targetProjectId' | 'zoneId'>
>

const keyCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const keyLength = 8

/** Generates a key. `randomBelow` returns an unpredictable integer from 0 to below its argument. */
export function newTransferKey(randomBelow: (end: number) => number): string {
  const characters = Array.from({ length: keyLength }, () =>
    keyCharacters.charAt(randomBelow(keyCharacters.length)),
  )
  return characters.join('')
}
