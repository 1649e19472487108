import {
  checkParent,
  confirmDs,
  type Dnssec,
  type DnssecKey,
  type Parent,
} from '../../api/dnssec.ts'
import type { Zone } from '../../api/zones.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Complaint } from '../../ui/field.tsx'
import { notify, notifyFailure } from '../../ui/notices.tsx'
import { useSubmission } from '../../ui/submission.ts'
import { formatTime } from '../../ui/times.ts'

type ParentCardProps = {
  readonly zone: Zone
  readonly state: Dnssec
  readonly parent: Parent
  readonly onChanged: (state: Dnssec) => void
}

/** The DS records in the parent zone, as its servers answer, or as a user confirms. */
export function ParentCard({ zone, state, parent, onChanged }: ParentCardProps) {
  const { zone: name, hosted_here: isHere, servers, checked_at: at } = parent
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    onChanged(await checkParent(zone))
  })
  return (
    <Card
      title={texts.dnssec.parent}
      {...(name !== null && { explain: texts.dnssec.parentName(name) })}
      beside={
        mayChange.value && (
          <button type="button" disabled={isBusy} onClick={onSubmit}>
            {texts.dnssec.checkParent}
          </button>
        )
      }
    >
      <Complaint text={rest} />
      {isHere && <p>{texts.dnssec.hostedHere}</p>}
      {at !== null && <p class="faint">{texts.dnssec.checkedAt(formatTime(at))}</p>}
      {mayChange.value && <Confirmations {...{ zone, keys: state.keys, onChanged }} />}
      {servers.length > 0 && (
        <DataTable
          label={texts.dnssec.parent}
          rows={servers}
          keyOf={({ host }) => host}
          columns={[
            { title: texts.dnssec.server, cell: ({ host }) => host },
            {
              title: texts.dnssec.hasDs,
              cell: ({ ds, error }) => error ?? (ds.join(', ') || texts.dnssec.noDs),
            },
          ]}
        />
      )}
    </Card>
  )
}

type ConfirmationsProps = {
  readonly zone: Zone
  readonly keys: readonly DnssecKey[]
  readonly onChanged: (state: Dnssec) => void
}

/** For each key whose DS comes or goes: that it has. */
function Confirmations({ zone, keys, onChanged }: ConfirmationsProps) {
  const confirm = async (key: DnssecKey, isPresent: boolean) => {
    onChanged(await confirmDs(zone, key, isPresent))
    notify(texts.dnssec.confirmed)
  }
  const moving = keys.filter(
    ({ states }) => states.ds === 'RUMOURED' || states.ds === 'UNRETENTIVE',
  )
  return (
    <>
      {moving.map(key => {
        const isComing = key.states.ds === 'RUMOURED'
        return (
          <div key={key.id} class="bar">
            <span>
              {texts.dnssec.ds} {key.tag}
            </span>
            <button type="button" onClick={() => confirm(key, isComing).catch(notifyFailure)}>
              {isComing ? texts.dnssec.confirm : texts.dnssec.confirmGone}
            </button>
          </div>
        )
      })}
    </>
  )
}
