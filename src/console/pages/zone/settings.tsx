import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { listRecordsets } from '../../api/recordsets.ts'
import { listNameservers } from '../../api/zone-access.ts'
import { exportZone, promoteZone, updateZone, type Zone } from '../../api/zones.ts'
import { attributesTyped, tagsOf, tagText } from '../../records/tags.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Confirmation } from '../../ui/confirmation.tsx'
import { saveFile } from '../../ui/download.ts'
import { Complaint, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notify, notifyFailure } from '../../ui/notices.tsx'
import { typedNumber } from '../../ui/numbers.ts'
import { useForm } from '../../ui/submission.ts'
import { formatTime } from '../../ui/times.ts'
import { DeleteZone } from './delete-zone.tsx'

type SettingsProps = { readonly zone: Zone; readonly onSaved: (zone: Zone) => void }

/** The settings of a whole zone, and the actions on it. */
export function ZoneSettings({ zone, onSaved }: SettingsProps) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="scrolls fill">
      <div class="cards">
        {zone.type === 'SECONDARY' && <Masters zone={zone} onSaved={onSaved} />}
        <General key={zone.version} zone={zone} onSaved={onSaved} />
        <Authority zone={zone} />
        <Card title={texts.settings.whole} explain={texts.settings.wholeExplain}>
          <div class="bar">
            <button type="button" onClick={() => saveExport(zone).catch(notifyFailure)}>
              {texts.zone.export}
            </button>
            {mayChange.value && (
              <button type="button" class="danger" onClick={() => setDeleting(true)}>
                {texts.zone.delete}
              </button>
            )}
          </div>
        </Card>
      </div>
      {isDeleting && <DeleteZone zone={zone} onClose={() => setDeleting(false)} />}
    </div>
  )
}

function General({ zone, onSaved }: SettingsProps) {
  const isPrimary = zone.type === 'PRIMARY'
  const form = useForm(textsOf(zone), async ({ email, ttl, description, masters, ...typed }) => {
    const own = isPrimary
      ? { email, ...(ttl !== '' && { ttl: typedNumber(ttl) }) }
      : { masters: masters.split(/\s+/).filter(one => one !== '') }
    const attributes = attributesTyped(typed.attributes, zone.attributes)
    onSaved(await updateZone(zone, { ...own, description: description || null, attributes }))
    notify(texts.zone.saved)
  })
  return (
    <Card title={texts.settings.general}>
      <Form {...form} submit={mayChange.value ? texts.common.save : undefined}>
        {isPrimary ? (
          <div class="columns">
            <Field label={texts.zones.email} {...form.field('email')} />
            <Field label={texts.zone.ttl} {...form.field('ttl')} />
          </div>
        ) : (
          <Field label={texts.zones.masters} {...form.field('masters')} />
        )}
        <Field label={texts.zone.description} {...form.field('description')} />
        <Field
          label={texts.zone.tags}
          placeholder={texts.zone.tagsHint}
          isLong
          {...form.field('attributes')}
        />
      </Form>
    </Card>
  )
}

function textsOf({ email, ttl, description, masters, attributes }: Zone) {
  return {
    email: email ?? '',
    ttl: String(ttl ?? ''),
    description: description ?? '',
    masters: (masters ?? []).join(' '),
    attributes: tagsOf(attributes).map(tagText).join('\n'),
  }
}

/** The masters of a SECONDARY zone, its state, and what it waits for. */
function Masters({ zone, onSaved }: SettingsProps) {
  const [isPromoting, setPromoting] = useState(false)
  const { masters, serial, transferred_at: at, status_reason: reason } = zone
  const facts = [
    [texts.settings.masters, (masters ?? []).join(', ') || texts.settings.never],
    [texts.settings.lastTransfer, at === null ? texts.settings.never : formatTime(at)],
    [texts.zones.serial, String(serial)],
    ...(reason === null ? [] : [[texts.settings.waits, reason]]),
  ]
  return (
    <Card
      title={texts.settings.secondary}
      beside={
        mayChange.value && (
          <div class="bar">
            <button type="button" onClick={() => askMasters(zone).catch(notifyFailure)}>
              {texts.settings.askNow}
            </button>
            {at !== null && (
              <button type="button" onClick={() => setPromoting(true)}>
                {texts.settings.promote}
              </button>
            )}
          </div>
        )
      }
    >
      <Facts facts={facts} />
      {isPromoting && (
        <Confirmation
          title={texts.settings.promote}
          text={texts.settings.promoteWarning(zone.name)}
          action={texts.settings.promoteAction}
          onClose={() => setPromoting(false)}
          run={() => promoteZone(zone).then(onSaved)}
        />
      )}
    </Card>
  )
}

const soaTimers = ['refresh', 'retry', 'expire', 'negative'] as const

/** The name servers and the SOA, as they are answered. */
function Authority({ zone }: { readonly zone: Zone }) {
  const read = async () => {
    const [servers, soa] = await Promise.all([
      listNameservers(zone),
      listRecordsets(zone, { type: 'SOA' }),
    ])
    return { servers, soa: soa.items[0]?.records[0]?.split(' ') ?? [] }
  }
  const { value, error } = useLoaded(read, [zone.id, zone.serial])
  const [primary, , , ...timers] = value?.soa ?? []
  const facts = [
    [
      texts.settings.nameserverNames,
      (value?.servers ?? []).map(({ hostname }) => hostname).join(', '),
    ],
    [texts.settings.primary, primary ?? ''],
    ...soaTimers.map((name, at) => [
      texts.settings[name],
      timers[at] === undefined ? '' : texts.settings.seconds(Number(timers[at])),
    ]),
  ]
  return (
    <Card title={texts.settings.nameservers} explain={texts.settings.nameserversExplain}>
      <Complaint text={error} />
      <Facts facts={facts} />
    </Card>
  )
}

function Facts({ facts }: { readonly facts: readonly (readonly string[])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

async function saveExport(zone: Zone): Promise<void> {
  saveFile(`${zone.name}zone`, new Blob([await exportZone(zone)], { type: 'text/dns' }))
}

async function askMasters({ id }: Zone): Promise<void> {
  await send({ method: 'POST', path: `/v2/zones/${id}/tasks/xfr` })
  notify(texts.zone.transferAsked)
}
