import type { Zone } from '../api/zones.ts'
import { texts } from '../texts.ts'

/** The status of a zone: a sign, a word and a colour, with the reason where there is one. */
export function Status({ status, status_reason: reason }: Pick<Zone, 'status' | 'status_reason'>) {
  return (
    <span class={`status ${status.toLowerCase()}`} title={reason ?? undefined}>
      {texts.zones.statuses[status]}
    </span>
  )
}
