import { useState } from 'preact/hooks'
import { type Dnssec, type DnssecKey, rollKeys } from '../../api/dnssec.ts'
import type { Zone } from '../../api/zones.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Confirmation } from '../../ui/confirmation.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatTime } from '../../ui/times.ts'

type KeysProps = {
  readonly zone: Zone
  readonly state: Dnssec
  readonly onChanged: (state: Dnssec) => void
}

const columns: readonly Column<DnssecKey>[] = [
  { title: texts.dnssec.tag, cell: ({ tag }) => tag },
  { title: texts.dnssec.role, cell: ({ role }) => texts.dnssec.roles[role] },
  { title: texts.dnssec.algorithm, cell: ({ algorithm }) => algorithmName(algorithm) },
  { title: texts.dnssec.made, cell: ({ created_at: at }) => formatTime(at) },
]
const seen: Column<DnssecKey> = {
  title: texts.dnssec.seen,
  cell: ({ states }) =>
    recordNames.flatMap(record => {
      const presence = states[record]
      if (presence === null) return []
      return (
        <div key={record}>
          {texts.dnssec.records[record]} {texts.dnssec.presence[presence]}
        </div>
      )
    }),
}
const recordNames = ['dnskey', 'zone_signatures', 'ds'] as const

/** The keys of a zone, with the state of each. */
export function Keys({ zone, state, onChanged }: KeysProps) {
  const [rolling, setRolling] = useState<DnssecKey>()
  const mayRoll = ({ goal }: DnssecKey) => mayChange.value && goal === 'OMNIPRESENT'
  return (
    <Card title={texts.dnssec.keys}>
      <DataTable
        label={texts.dnssec.keys}
        rows={state.keys}
        keyOf={({ id }) => id}
        columns={[...columns, seen]}
        actions={key => [
          mayRoll(key) && {
            text: texts.dnssec.roll,
            label: texts.dnssec.rollOf(key.tag),
            run: () => setRolling(key),
          },
        ]}
      />
      {rolling !== undefined && (
        <Confirmation
          title={texts.dnssec.rollTitle(rolling.tag)}
          text={texts.dnssec.rollExplain}
          action={texts.dnssec.roll}
          onClose={() => setRolling(undefined)}
          run={() => rollKeys(zone, rolling.role).then(onChanged)}
        />
      )}
    </Card>
  )
}

function algorithmName(algorithm: number): string {
  const names: Readonly<Record<number, string>> = texts.dnssec.algorithms
  return names[algorithm] ?? String(algorithm)
}
