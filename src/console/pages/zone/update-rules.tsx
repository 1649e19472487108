import { useState } from 'preact/hooks'
import { getUpdateRules, setUpdateRules, type UpdateRule } from '../../api/zone-access.ts'
import type { Zone } from '../../api/zones.ts'
import { relativeName } from '../../records/fields.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notify } from '../../ui/notices.tsx'
import { type Submission, useSubmission } from '../../ui/submission.ts'

/** A rule as it is typed. */
type Typed = Readonly<Record<'key' | 'addresses' | 'match' | 'name' | 'types', string>>

const newRule: Typed = { key: '', addresses: '', match: 'name', name: '', types: '' }
const withName = ['name', 'subdomain', 'wildcard']

/** The rules of dynamic update. */
export function UpdateRules({ zone }: { readonly zone: Zone }) {
  const stored = useLoaded(() => getUpdateRules(zone), [zone.id])
  return (
    <Card title={texts.access.updates} explain={texts.access.updatesExplain}>
      <Complaint text={stored.error} />
      {stored.value !== undefined && <RulesForm zone={zone} stored={stored.value} />}
    </Card>
  )
}

type RulesFormProps = { readonly zone: Zone; readonly stored: readonly UpdateRule[] }

function RulesForm({ zone, stored }: RulesFormProps) {
  const [rules, setRules] = useState(stored.map(rule => typedOf(rule, zone.name)))
  const submission = useSubmission(['rules'], async () => {
    const saved = await setUpdateRules(zone, rules.map(ruleOf))
    setRules(saved.map(rule => typedOf(rule, zone.name)))
    notify(texts.zone.saved)
  })
  return (
    <Form
      {...submission}
      submit={texts.common.save}
      beside={
        <button type="button" onClick={() => setRules([...rules, newRule])}>
          {texts.access.addRule}
        </button>
      }
    >
      {rules.map((rule, at) => (
        <RuleFields
          key={at}
          number={at + 1}
          rule={rule}
          refusalOf={submission.refusalOf}
          onChange={next => setRules(rules.with(at, next))}
          onRemove={() => setRules(rules.toSpliced(at, 1))}
        />
      ))}
    </Form>
  )
}

type RuleFieldsProps = Pick<Submission, 'refusalOf'> & {
  readonly number: number
  readonly rule: Typed
  readonly onChange: (rule: Typed) => void
  readonly onRemove: () => void
}

function RuleFields({ number, rule, refusalOf, onChange, onRemove }: RuleFieldsProps) {
  const field = (name: keyof Typed, label: string, hint: string) => (
    <Field
      label={label}
      placeholder={hint}
      value={rule[name]}
      onInput={text => onChange({ ...rule, [name]: text })}
      error={refusalOf('rules', number - 1, name)}
    />
  )
  return (
    <fieldset class="rule">
      <legend>{texts.access.rule(number)}</legend>
      <div class="columns">
        {field('key', texts.access.key, texts.access.keyHint)}
        {field('addresses', texts.access.addresses, texts.access.addressesHint)}
        <Choice
          label={texts.access.match}
          value={rule.match}
          onChange={match => onChange({ ...rule, match })}
          options={Object.entries(texts.access.matches)}
        />
        {withName.includes(rule.match) && field('name', texts.access.name, texts.access.nameHint)}
        {field('types', texts.access.types, texts.access.typesHint)}
      </div>
      <button
        type="button"
        class="quiet danger"
        aria-label={texts.access.removeRule(number)}
        onClick={onRemove}
      >
        {texts.common.delete}
      </button>
    </fieldset>
  )
}

function typedOf({ key, addresses, match, name, types }: UpdateRule, zoneName: string): Typed {
  return {
    key: key ?? '',
    addresses: addresses.join(' '),
    match,
    name: name === null ? '' : relativeName(name, zoneName),
    types: types.join(' '),
  }
}

function ruleOf({ key, addresses, match, name, types }: Typed): UpdateRule {
  return {
    key: key.trim() || null,
    addresses: wordsOf(addresses),
    match,
    name: withName.includes(match) ? name.trim() : null,
    types: wordsOf(types),
  }
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(word => word !== '')
}
