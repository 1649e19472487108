import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { send } from '../../api/client.ts'
import { deleteZone, exportZone, updateZone, type Zone } from '../../api/zones.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Complaint, Field } from '../../ui/field.tsx'
import { notify, notifyFailure } from '../../ui/notices.tsx'

type SettingsProps = { readonly zone: Zone; readonly onSaved: (zone: Zone) => void }

/** What holds for a whole zone, and what can be done with it. */
export function ZoneSettings({ zone, onSaved }: SettingsProps) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="settings">
      <SettingsForm key={zone.version} zone={zone} onSaved={onSaved} />
      <div class="actions">
        <button type="button" onClick={() => saveExport(zone).catch(notifyFailure)}>
          {texts.zone.export}
        </button>
        {zone.type === 'SECONDARY' && mayChange.value && (
          <button type="button" onClick={() => askMasters(zone).catch(notifyFailure)}>
            {texts.zone.transfer}
          </button>
        )}
        {mayChange.value && (
          <button type="button" class="danger" onClick={() => setDeleting(true)}>
            {texts.zone.delete}
          </button>
        )}
      </div>
      {isDeleting && <Deletion zone={zone} onClose={() => setDeleting(false)} />}
    </div>
  )
}

function SettingsForm({ zone, onSaved }: SettingsProps) {
  const [email, setEmail] = useState(zone.email ?? '')
  const [ttl, setTtl] = useState(String(zone.ttl ?? ''))
  const [description, setDescription] = useState(zone.description ?? '')
  const [masters, setMasters] = useState((zone.masters ?? []).join(' '))
  const [error, setError] = useState<string>()
  const isPrimary = zone.type === 'PRIMARY'
  const submit = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    const own = isPrimary
      ? { email, ...(ttl !== '' && { ttl: Number(ttl) }) }
      : { masters: masters.split(/\s+/).filter(one => one !== '') }
    try {
      onSaved(await updateZone(zone, { ...own, description: description || null }))
      notify(texts.zone.saved)
    } catch (failure) {
      setError((failure as Error).message)
    }
  }
  return (
    <form onSubmit={submit}>
      {isPrimary ? (
        <>
          <Field label={texts.zones.email} value={email} onInput={setEmail} isRequired />
          <Field label={texts.zone.ttl} isNumber value={ttl} onInput={setTtl} />
        </>
      ) : (
        <Field label={texts.zones.masters} value={masters} onInput={setMasters} />
      )}
      <Field label={texts.zone.description} value={description} onInput={setDescription} />
      <Complaint text={error} />
      {mayChange.value && (
        <button type="submit" class="main">
          {texts.zone.save}
        </button>
      )}
    </form>
  )
}

function Deletion({ zone, onClose }: { readonly zone: Zone; readonly onClose: () => void }) {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await deleteZone(zone)
      route('/console/')
    } catch (failure) {
      setError((failure as Error).message)
    }
  }
  return (
    <Dialog title={texts.zone.deleteTitle} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{texts.zone.deleteWarning(zone.name)}</p>
        <Field label={texts.zones.name} value={name} onInput={setName} />
        <Complaint text={error} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            {texts.common.cancel}
          </button>
          <button type="submit" class="danger" disabled={name !== zone.name}>
            {texts.zone.delete}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

async function saveExport(zone: Zone): Promise<void> {
  const blob = new Blob([await exportZone(zone)], { type: 'text/dns' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${zone.name}zone`
  link.click()
  URL.revokeObjectURL(link.href)
}

async function askMasters({ id }: Zone): Promise<void> {
  await send({ method: 'POST', path: `/v2/zones/${id}/tasks/xfr` })
  notify(texts.zone.transferAsked)
}
