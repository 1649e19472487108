import { type Budget, deleteBudget, getBudget, setBudget } from '../api/budgets.ts'
import { mayChange, session } from '../session.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Complaint, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notify, notifyFailure } from '../ui/notices.tsx'
import { useForm } from '../ui/submission.ts'

/** The monthly budget of the project. */
export function BudgetCard() {
  const projectId = session.value?.project.id ?? ''
  const { value, error, reload } = useLoaded(() => getBudget(projectId), [projectId])
  return (
    <Card title={texts.budget.title} explain={texts.budget.explain}>
      <Complaint text={error} />
      {value != null && <Standing budget={value} />}
      {value !== undefined && mayChange.value && (
        <BudgetForm key={value?.id} budget={value} onChanged={reload} />
      )}
    </Card>
  )
}

function Standing({ budget }: { readonly budget: Budget }) {
  const { amount, cost, forecast, crossed_thresholds: crossed } = budget
  const part = Math.min(1, Number(cost) / Number(amount))
  return (
    <>
      <p class="share">
        <meter min={0} max={1} value={part} aria-label={texts.budget.title} />
        {texts.budget.soFar(cost, amount)}
      </p>
      {forecast !== null && <p class="faint">{texts.budget.forecast(forecast)}</p>}
      {crossed.map(({ threshold }) => (
        <p key={threshold} class="status error">
          {texts.budget.crossed(threshold)}
        </p>
      ))}
    </>
  )
}

type BudgetFormProps = { readonly budget: Budget | null; readonly onChanged: () => void }

function BudgetForm({ budget, onChanged }: BudgetFormProps) {
  const set = {
    amount: budget?.amount ?? '',
    thresholds: (budget?.thresholds ?? [80, 100]).join(' '),
  }
  const form = useForm(set, async ({ amount, thresholds }) => {
    const percents = thresholds.split(/[\s,]+/).filter(word => word !== '')
    await setBudget(budget, { amount: amount.trim(), thresholds: percents.map(Number) })
    onChanged()
    notify(texts.zone.saved)
  })
  return (
    <Form
      {...form}
      submit={texts.budget.set}
      beside={
        budget !== null && (
          <button
            type="button"
            class="danger"
            onClick={() => deleteBudget(budget).then(onChanged, notifyFailure)}
          >
            {texts.budget.remove}
          </button>
        )
      }
    >
      <div class="columns">
        <Field label={texts.budget.amount} {...form.field('amount')} isRequired />
        <Field label={texts.budget.thresholds} {...form.field('thresholds')} />
      </div>
    </Form>
  )
}
