import { useCallback, useState } from 'preact/hooks'
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
import { useSubmission } from '../ui/submission.ts'
import { formatTime } from '../ui/times.ts'

/** The webhooks that get the events of a project, and the outcome of their deliveries. */
export function WebhooksPage() {
  const list = useLoaded(listWebhooks)
  const [editing, setEditing] = useState<Webhook | 'new'>()
  const [made, setMade] = useState<Webhook>()
  const [shown, setShown] = useState<Webhook>()
  const rows = list.value ?? []
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
      {list.value !== undefined && rows.length === 0 && <p class="empty">{texts.webhooks.empty}</p>}
      {rows.length > 0 && (
        <WebhookTable rows={rows} onShow={setShown} onEdit={setEditing} onChanged={list.reload} />
      )}
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
  readonly rows: readonly Webhook[]
  readonly onShow: (webhook: Webhook) => void
  readonly onEdit: (webhook: Webhook) => void
  readonly onChanged: () => void
}

function WebhookTable({ rows, onShow, onEdit, onChanged }: WebhookTableProps) {
  return (
    <DataTable
      label={texts.webhooks.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.webhooks.url, cell: ({ url }) => url },
        {
          title: texts.webhooks.typesShort,
          cell: ({ event_types: types }) => types.join(' ') || texts.webhooks.all,
        },
        { title: texts.zone.description, cell: ({ description }) => description },
      ]}
      actions={row => (
        <>
          <button type="button" class="quiet" onClick={() => onShow(row)}>
            {texts.webhooks.deliveries}
          </button>
          {mayChange.value && (
            <button
              type="button"
              class="quiet"
              aria-label={texts.webhooks.edit(row.url)}
              onClick={() => onEdit(row)}
            >
              {texts.records.edit}
            </button>
          )}
          {mayChange.value && (
            <button
              type="button"
              class="quiet danger"
              aria-label={texts.webhooks.remove(row.url)}
              onClick={() => deleteWebhook(row.id).then(onChanged, notifyFailure)}
            >
              {texts.common.delete}
            </button>
          )}
        </>
      )}
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
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [types, setTypes] = useState((webhook?.event_types ?? []).join(' '))
  const [description, setDescription] = useState(webhook?.description ?? '')
  const fields = ['url', 'event_types', 'description']
  const action = webhook === undefined ? texts.webhooks.add : texts.common.save
  const { onSubmit, isBusy, refusalOf, rest } = useSubmission(fields, async () => {
    const eventTypes = types.split(/[\s,]+/).filter(type => type !== '')
    const draft = { url: url.trim(), event_types: eventTypes, description: description || null }
    onSaved(await saveWebhook(webhook?.id, draft))
  })
  return (
    <Dialog title={webhook?.url ?? texts.webhooks.add} onClose={onClose}>
      <Form {...{ onSubmit, isBusy, rest }} submit={action} onCancel={onClose}>
        <Field
          label={texts.webhooks.url}
          placeholder={texts.webhooks.urlHint}
          value={url}
          onInput={setUrl}
          error={refusalOf('url')}
          isRequired
          isFirst
        />
        <Field
          label={texts.webhooks.types}
          placeholder={texts.webhooks.typesHint}
          value={types}
          onInput={setTypes}
          error={refusalOf('event_types')}
        />
        <Field
          label={texts.zone.description}
          value={description}
          onInput={setDescription}
          error={refusalOf('description')}
        />
      </Form>
    </Dialog>
  )
}

type DeliveriesProps = { readonly webhook: Webhook; readonly onClose: () => void }

function Deliveries({ webhook: { id, url }, onClose }: DeliveriesProps) {
  const list = useLoaded(useCallback(() => listDeliveries(id), [id]))
  const rows = list.value ?? []
  return (
    <Dialog title={texts.webhooks.deliveriesOf(url)} onClose={onClose} isWide hasClose>
      <Complaint text={list.error} />
      {list.value !== undefined && rows.length === 0 && <p>{texts.webhooks.noDeliveries}</p>}
      {rows.length > 0 && (
        <DataTable
          label={texts.webhooks.deliveries}
          rows={rows}
          keyOf={delivery => delivery.id}
          columns={[
            { title: texts.webhooks.event, cell: ({ event_type: type }) => type },
            { title: texts.webhooks.status, cell: delivery => <DeliveryStatus {...delivery} /> },
            { title: texts.webhooks.attempts, cell: ({ attempts }) => attempts },
            { title: texts.webhooks.when, cell: ({ attempted_at: at }) => formatTime(at) },
          ]}
          actions={delivery =>
            mayChange.value && (
              <button
                type="button"
                class="quiet"
                aria-label={texts.webhooks.sendAgain(delivery.id)}
                onClick={() => sendAgain(id, delivery.id).then(list.reload, notifyFailure)}
              >
                {texts.webhooks.again}
              </button>
            )
          }
        />
      )}
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
