import { useState } from 'preact/hooks'
import {
  getPrices,
  type PriceList,
  type PricePreview,
  type PriceRule,
  previewPrices,
  setPrices,
} from '../../api/prices.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notify } from '../../ui/notices.tsx'
import { useSubmission } from '../../ui/submission.ts'
import { formatMonth, lastMonths } from '../../ui/times.ts'

const say = texts.prices

/** A price as it is typed. */
type Typed = Readonly<
  Record<'service' | 'field' | 'value' | 'cost' | 'description', string> & Pick<PriceRule, 'type'>
>

const newPrice: Typed = {
  service: 'dns.zone',
  field: '',
  value: '',
  type: 'flat',
  cost: '',
  description: '',
}

/** All prices, and what a month would have cost by other prices. */
export function Prices() {
  const { value, error } = useLoaded(getPrices)
  return (
    <div class="scrolls fill">
      <p class="lead">{say.explain}</p>
      <Complaint text={error} />
      {value !== undefined && <PricesForm stored={value} />}
    </div>
  )
}

function PricesForm({ stored }: { readonly stored: PriceList }) {
  const [prices, setTyped] = useState(stored.rules.map(typedOf))
  const rules = prices.map(ruleOf)
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    setTyped((await setPrices(rules)).rules.map(typedOf))
    notify(say.saved)
  })
  return (
    <div class="cards">
      <Card title={say.list}>
        <Form
          {...{ onSubmit, isBusy, rest }}
          submit={say.save}
          beside={
            <button type="button" onClick={() => setTyped([...prices, newPrice])}>
              {say.add}
            </button>
          }
        >
          {prices.length === 0 && <p class="empty">{say.empty}</p>}
          {prices.map((price, at) => (
            <PriceFields
              key={at}
              number={at + 1}
              price={price}
              onChange={next => setTyped(prices.with(at, next))}
              onRemove={() => setTyped(prices.toSpliced(at, 1))}
            />
          ))}
          {stored.other_rules > 0 && <p class="faint">{say.others(stored.other_rules)}</p>}
        </Form>
      </Card>
      <Preview rules={rules} />
    </div>
  )
}

type PriceFieldsProps = {
  readonly number: number
  readonly price: Typed
  readonly onChange: (price: Typed) => void
  readonly onRemove: () => void
}

function PriceFields({ number, price, onChange, onRemove }: PriceFieldsProps) {
  const field = (name: 'field' | 'value' | 'cost' | 'description', placeholder = '') => (
    <Field
      label={say[name]}
      placeholder={placeholder}
      value={price[name]}
      onInput={text => onChange({ ...price, [name]: text })}
    />
  )
  return (
    <fieldset class="rule">
      <legend class="unseen">{say.ofRow(say.list, number)}</legend>
      <div class="columns">
        <Choice
          label={say.metric}
          value={price.service}
          onChange={service => onChange({ ...price, service })}
          options={metricsWith(price.service)}
        />
        {field('field', say.noField)}
        {price.field !== '' && field('value')}
        <Choice
          label={say.kind}
          value={price.type}
          onChange={type => onChange({ ...price, type: type === 'rate' ? 'rate' : 'flat' })}
          options={[
            ['flat', say.kinds.flat],
            ['rate', say.kinds.rate],
          ]}
        />
        {field('cost')}
        {field('description')}
      </div>
      <button type="button" class="quiet danger" aria-label={say.remove(number)} onClick={onRemove}>
        {texts.common.delete}
      </button>
    </fieldset>
  )
}

/** The metered ones, and one of others that a price is for. */
function metricsWith(service: string): readonly (readonly [string, string])[] {
  return service in say.metrics
    ? Object.entries(say.metrics)
    : [...Object.entries(say.metrics), [service, service]]
}

function Preview({ rules }: { readonly rules: readonly PriceRule[] }) {
  const [thisMonth = '', lastMonth = thisMonth] = lastMonths()
  const [month, setMonth] = useState(lastMonth)
  const [preview, setPreview] = useState<PricePreview>()
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    setPreview(await previewPrices(month, rules))
  })
  return (
    <Card title={say.preview} explain={say.previewExplain}>
      <form class="bar" onSubmit={onSubmit}>
        <Choice
          label={say.month}
          value={month}
          onChange={setMonth}
          options={lastMonths().map(one => [one, formatMonth(one)])}
        />
        <button type="submit" disabled={isBusy}>
          {say.tryOut}
        </button>
      </form>
      <Complaint text={rest} />
      {preview !== undefined && <PreviewTables preview={preview} />}
    </Card>
  )
}

const sums = [
  { title: say.before, isNumber: true, cell: ({ cost }: { readonly cost: string }) => cost },
  {
    title: say.after,
    isNumber: true,
    cell: ({ preview }: { readonly preview: string }) => preview,
  },
]

function PreviewTables({ preview }: { readonly preview: PricePreview }) {
  const { month, cost, metrics, projects } = preview
  if (metrics.length === 0) return <p class="empty">{say.unused}</p>
  const all = { metric: say.all, quantity: '', unit: '', cost, preview: preview.preview }
  return (
    <>
      <DataTable
        label={`${say.preview} ${month}`}
        rows={[...metrics, all]}
        keyOf={({ metric }) => metric}
        columns={[
          { title: say.metric, cell: ({ metric }) => metric },
          {
            title: say.quantity,
            isNumber: true,
            cell: ({ quantity, unit }) => `${shortQuantity(quantity)} ${unit}`,
          },
          ...sums,
        ]}
      />
      <h3>{say.byProject}</h3>
      <DataTable
        label={say.byProject}
        rows={projects}
        keyOf={project => project.project_id}
        columns={[{ title: say.project, cell: project => project.project_id }, ...sums]}
      />
    </>
  )
}

/** Quantities have up to 28 places. */
function shortQuantity(quantity: string): string {
  return quantity === '' ? '' : Number(quantity).toPrecision(6)
}

function typedOf({ field = '', value = '', ...rule }: PriceRule): Typed {
  return { ...rule, field, value }
}

function ruleOf({ field, value, ...typed }: Typed): PriceRule {
  const rule = { ...typed, cost: typed.cost.trim() }
  return field.trim() === '' ? rule : { ...rule, field: field.trim(), value: value.trim() }
}
