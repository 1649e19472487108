import { useState } from 'preact/hooks'
import {
  type ZoneServers as Answers,
  askServers,
  type ServerAnswer,
} from '../../api/zone-servers.ts'
import type { Zone } from '../../api/zones.ts'
import { completeName, offeredTypes } from '../../records/fields.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { formatNumber } from '../../ui/numbers.ts'

const say = texts.servers

type Question = { readonly name: string; readonly type: string }

/** The stored values of a record set next to the current answer of each name server of the zone. */
export function ZoneServers({ zone }: { readonly zone: Zone }) {
  const [typed, setTyped] = useState<Question>({ name: '@', type: 'SOA' })
  const [asked, setAsked] = useState(typed)
  const read = () => askServers(zone, { ...asked, name: completeName(asked.name, zone.name) })
  const { value, error } = useLoaded(read, [zone.id, zone.serial, asked])
  return (
    <div class="scrolls fill">
      <p class="lead">{say.explain}</p>
      <form
        class="bar"
        onSubmit={event => {
          event.preventDefault()
          setAsked({ ...typed })
        }}
      >
        <Field
          label={texts.records.name}
          placeholder="@"
          value={typed.name}
          onInput={name => setTyped({ ...typed, name })}
        />
        <Choice
          label={texts.records.type}
          value={typed.type}
          onChange={type => setTyped({ ...typed, type })}
          options={['SOA', ...offeredTypes]}
        />
        <button type="submit" class="main">
          {say.ask}
        </button>
      </form>
      <Complaint text={error} />
      {value !== undefined && <Comparison answers={value} />}
    </div>
  )
}

function Comparison({ answers }: { readonly answers: Answers }) {
  const { stored, servers } = answers
  return (
    <div class="cards">
      <Card title={say.stored}>
        {stored === null ? (
          <p class="faint">{say.nothing}</p>
        ) : (
          <Records records={stored.records} ttl={stored.ttl} />
        )}
      </Card>
      <Card title={say.answered}>
        <DataTable
          label={say.answered}
          rows={servers}
          empty={<p class="faint">{say.none}</p>}
          keyOf={({ host, address }) => `${host} ${address}`}
          columns={[
            {
              title: say.server,
              cell: ({ host, address }) => (
                <>
                  <strong>{host}</strong>
                  {address !== null && address !== host && <div class="faint">{address}</div>}
                </>
              ),
            },
            { title: texts.zones.status, cell: server => <Judgement {...server} /> },
            {
              title: say.answer,
              cell: ({ records, ttl, error }) =>
                error ?? <Records records={records} ttl={ttl ?? undefined} />,
            },
          ]}
        />
      </Card>
    </div>
  )
}

function Judgement({ is_same: isSame, rcode, authoritative, error }: ServerAnswer) {
  if (isSame) return <span class="status good">{say.same}</span>
  if (error !== null) return <span class="status error">{say.silent}</span>
  if (authoritative === false) return <span class="status error">{say.lame(rcode ?? '')}</span>
  return <span class="status error">{say.differs(rcode ?? '')}</span>
}

type RecordsProps = { readonly records: readonly string[]; readonly ttl: number | undefined }

function Records({ records, ttl }: RecordsProps) {
  return (
    <>
      {records.map(record => (
        <code key={record} class="line">
          {record}
        </code>
      ))}
      {ttl !== undefined && <span class="faint">{say.ttl(formatNumber(ttl))}</span>}
    </>
  )
}
