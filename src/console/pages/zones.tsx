import { useCallback, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { RefusalError } from '../api/client.ts'
import { createZone, listZones, type Zone } from '../api/zones.ts'
import { completeName } from '../records/fields.ts'
import { mayChange } from '../session.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Choice, Complaint, Field } from '../ui/field.tsx'
import { usePaged } from '../ui/paged.ts'
import { Status } from '../ui/status.tsx'
import { formatTime } from '../ui/times.ts'
import { VirtualRows } from '../ui/virtual-rows.tsx'

const rowHeight = 44

/** The zones of the project. */
export function ZonesPage() {
  const [filter, setFilter] = useState('')
  const [isCreating, setCreating] = useState(false)
  const zones = usePaged(filter, (marker, signal) =>
    listZones({ name: filter, ...(marker !== undefined && { marker }) }, signal),
  )
  const cells = useCallback((at: number) => zoneCells(zones.items[at]), [zones.items])
  const isEmpty = !zones.isLoading && zones.items.length === 0
  return (
    <section class="page">
      <div class="bar">
        <h1>{texts.zones.title}</h1>
        <span class="count">{texts.zones.count(zones.items.length, zones.total)}</span>
        <Field
          label={texts.zones.filter}
          hidesLabel
          placeholder={texts.zones.filter}
          value={filter}
          onInput={setFilter}
        />
        {mayChange.value && (
          <>
            <a class="button" href="/console/import">
              {texts.zones.import}
            </a>
            <button type="button" class="main" onClick={() => setCreating(true)}>
              {texts.zones.create}
            </button>
          </>
        )}
      </div>
      <Complaint text={zones.error} />
      {isEmpty ? (
        <p class="empty">{filter === '' ? texts.zones.empty : texts.zones.noMatch}</p>
      ) : (
        <VirtualRows
          label={texts.zones.title}
          columns={[
            texts.zones.name,
            texts.zones.status,
            texts.zones.type,
            texts.zones.serial,
            texts.zones.changed,
          ]}
          count={zones.items.length}
          kind="zones"
          rowHeight={rowHeight}
          cells={cells}
          onNearEnd={zones.more}
        />
      )}
      {isCreating && <NewZone onClose={() => setCreating(false)} />}
    </section>
  )
}

function zoneCells(zone: Zone | undefined) {
  if (zone === undefined) return []
  return [
    <a key="name" href={`/console/zones/${zone.id}`}>
      {zone.name}
    </a>,
    <Status key="status" {...zone} />,
    zone.type.toLowerCase(),
    zone.serial,
    formatTime(zone.updated_at ?? zone.created_at),
  ]
}

function NewZone({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const [type, setType] = useState<Zone['type']>('PRIMARY')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [masters, setMasters] = useState('')
  const [error, setError] = useState<RefusalError>()
  const submit = async (event: Event) => {
    event.preventDefault()
    const own =
      type === 'PRIMARY' ? { email } : { masters: masters.split(/\s+/).filter(one => one !== '') }
    try {
      const zone = await createZone({ name: completeName(name.trim(), ''), type, ...own })
      route(`/console/zones/${zone.id}`)
    } catch (failure) {
      if (!(failure instanceof RefusalError)) throw failure
      setError(failure)
    }
  }
  const complaint = (field: string) => error?.fields.find(({ path }) => path[0] === field)?.message
  return (
    <Dialog title={texts.zones.create} onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label={texts.zones.name}
          placeholder={texts.zones.nameHint}
          value={name}
          onInput={setName}
          error={complaint('name')}
          isRequired
        />
        <Choice
          label={texts.zones.type}
          value={type}
          onChange={value => setType(value as Zone['type'])}
        >
          <option value="PRIMARY">{texts.zones.primary}</option>
          <option value="SECONDARY">{texts.zones.secondary}</option>
        </Choice>
        {type === 'PRIMARY' ? (
          <Field
            label={texts.zones.email}
            value={email}
            onInput={setEmail}
            error={complaint('email')}
            isRequired
          />
        ) : (
          <Field
            label={texts.zones.masters}
            placeholder={texts.zones.mastersHint}
            value={masters}
            onInput={setMasters}
            error={complaint('masters')}
            isRequired
          />
        )}
        {error !== undefined && error.fields.length === 0 && <Complaint text={error.message} />}
        <div class="actions">
          <button type="button" onClick={onClose}>
            {texts.common.cancel}
          </button>
          <button type="submit" class="main">
            {texts.zones.submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
