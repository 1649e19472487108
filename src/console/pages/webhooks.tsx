import { useState } from 'preact/hooks'
import {
  type Delivery,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  saveWebhook,
  sendAgain,
  type Webhook,
} from '../api/webhooks.ts'
import { mayChange, session } from '../session.ts'
import { texts } from '../texts.ts'
import { Copy } from '../ui/copy.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Complaint, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notifyFailure } from '../ui/notices.tsx'
import { useForm } from '../ui/submission.ts'
import { formatTime } from '../ui/times.ts'

/** The webhooks that get the events of a project, and the outcome of their deliveries. */
export function WebhooksPage() {
  const list = useLoaded(listWebhooks)
  const [editing, setEditing] = useState<Webhook | 'new'>()
  const [made, setMade] = useState<Webhook>()
  const [shown, setShown] = useState<Webhook>()
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.webhooks.title}</h1>
        {mayChange.value && (
          <button type="button" class="main end" onClick={() => setEditing('new')}>
            {texts.webhooks.add}
          </button>
        )}
      </div>
      <p class="lead">{texts.webhooks.explain(session.value?.project.name ?? '')}</p>
      <Complaint text={list.error} />
      <WebhookTable
        rows={list.value}
        onShow={setShown}
        onEdit={setEditing}
        onChanged={list.reload}
      />
      {editing !== undefined && (
        <WebhookForm
          webhook={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSaved={webhook => {
            setEditing(undefined)
            if (editing === 'new') setMade(webhook)
            list.reload()
          }}
        />
      )}
      {made !== undefined && (
        <Dialog title={made.url} onClose={() => setMade(undefined)} hasClose>
          <p>{texts.webhooks.once}</p>
          <Copy label={texts.webhooks.secret} text={made.secret ?? ''} />
        </Dialog>
      )}
      {shown !== undefined && <Deliveries webhook={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}

type WebhookTableProps = {
  readonly rows: readonly Webhook[] | undefined
  readonly onShow: (webhook: Webhook) => void
  readonly onEdit: (webhook: Webhook) => void
  readonly onChanged: () => void
}

function WebhookTable({ rows, onShow, onEdit, onChanged }: WebhookTableProps) {
  return (
    <DataTable
      label={texts.webhooks.title}
      rows={rows}
      empty={<p class="empty">{texts.webhooks.empty}</p>}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.webhooks.url, cell: ({ url }) => url },
        {
          title: texts.webhooks.typesShort,
          cell: ({ event_types: types }) => types.join(' ') || texts.webhooks.all,
        },
        { title: texts.zone.description, cell: ({ description }) => description },
      ]}
      actions={row => [
        { text: texts.webhooks.deliveries, run: () => onShow(row) },
        mayChange.value && {
          text: texts.records.edit,
          label: texts.webhooks.edit(row.url),
          run: () => onEdit(row),
        },
        mayChange.value && {
          text: texts.common.delete,
          label: texts.webhooks.remove(row.url),
          isDangerous: true,
          run: () => void deleteWebhook(row.id).then(onChanged, notifyFailure),
        },
      ]}
    />
  )
}

type WebhookFormProps = {
  /** Undefined: a new one. */
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook) => void
}

function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const before = {
    url: webhook?.url ?? '',
    event_types: (webhook?.event_types ?? []).join(' '),
    description: webhook?.description ?? '',
  }
  const action = webhook === undefined ? texts.webhooks.add : texts.common.save
  const form = useForm(before, async ({ url, event_types: types, description }) => {
    const eventTypes = types.split(/[\s,]+/).filter(type => type !== '')
    const draft = { url: url.trim(), event_types: eventTypes, description: description || null }
    onSaved(await saveWebhook(webhook?.id, draft))
  })
  return (
    <Dialog title={webhook?.url ?? texts.webhooks.add} onClose={onClose}>
      <Form {...form} submit={action} onCancel={onClose}>
        <Field
          label={texts.webhooks.url}
          placeholder={texts.webhooks.urlHint}
          {...form.field('url')}
          isRequired
          isFirst
        />
        <Field
          label={texts.webhooks.types}
          placeholder={texts.webhooks.typesHint}
          {...form.field('event_types')}
        />
        <Field label={texts.zone.description} {...form.field('description')} />
      </Form>
    </Dialog>
  )
}

type DeliveriesProps = { readonly webhook: Webhook; readonly onClose: () => void }

function Deliveries({ webhook: { id, url }, onClose }: DeliveriesProps) {
  const list = useLoaded(() => listDeliveries(id), [id])
  return (
    <Dialog title={texts.webhooks.deliveriesOf(url)} onClose={onClose} isWide hasClose>
      <Complaint text={list.error} />
      <DataTable
        label={texts.webhooks.deliveries}
        rows={list.value}
        empty={<p>{texts.webhooks.noDeliveries}</p>}
        keyOf={delivery => delivery.id}
        columns={[
          { title: texts.webhooks.event, cell: ({ event_type: type }) => type },
          { title: texts.webhooks.status, cell: delivery => <DeliveryStatus {...delivery} /> },
          { title: texts.webhooks.attempts, cell: ({ attempts }) => attempts },
          { title: texts.webhooks.when, cell: ({ attempted_at: at }) => formatTime(at) },
        ]}
        actions={delivery => [
          mayChange.value && {
            text: texts.webhooks.again,
            label: texts.webhooks.sendAgain(delivery.id),
            run: () => void sendAgain(id, delivery.id).then(list.reload, notifyFailure),
          },
        ]}
      />
    </Dialog>
  )
}

const signs = { DELIVERED: 'good', FAILING: 'pending', GIVEN_UP: 'error' } as const

function DeliveryStatus({ status, reason }: Pick<Delivery, 'status' | 'reason'>) {
  return (
    <>
      <span class={`status ${signs[status]}`}>{texts.webhooks.statuses[status]}</span>
      {reason !== null && <div class="faint">{reason}</div>}
    </>
  )
}
