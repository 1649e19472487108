import { useState } from 'preact/hooks'
import {
  type Account,
  createProject,
  createUser,
  getQuotas,
  listProjects,
  listRoles,
  listUsers,
  type Quotas,
  type Role,
  setEnabled,
  setQuotas,
} from '../api/accounts.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Loading } from '../ui/loading.tsx'
import { notifyFailure } from '../ui/notices.tsx'
import { typedNumber } from '../ui/numbers.ts'
import { useForm } from '../ui/submission.ts'
import { RolesCard } from './roles.tsx'

type Accounts = {
  readonly projects: readonly Account[]
  readonly users: readonly Account[]
  readonly roles: readonly Role[]
}

/** Projects with their quotas, users, and their roles in projects; for administrators. */
export function AccountsPage() {
  const { value, error, reload } = useLoaded(readAccounts)
  const [quotasOf, setQuotasOf] = useState<Account>()
  if (value === undefined) return <Loading error={error} />
  const { projects, users, roles } = value
  return (
    <section class="page scrolls">
      <h1>{texts.accounts.title}</h1>
      <div class="cards">
        <AccountsCard kind="project" rows={projects} onChanged={reload} onQuotas={setQuotasOf} />
        <AccountsCard kind="user" rows={users} onChanged={reload} />
        <RolesCard projects={projects} users={users} roles={roles} />
      </div>
      {quotasOf !== undefined && (
        <QuotasDialog project={quotasOf} onClose={() => setQuotasOf(undefined)} />
      )}
    </section>
  )
}

type AccountsCardProps = {
  readonly kind: 'user' | 'project'
  readonly rows: readonly Account[]
  readonly onChanged: () => void
  readonly onQuotas?: (project: Account) => void
}

function AccountsCard({ kind, rows, onChanged, onQuotas }: AccountsCardProps) {
  const title = kind === 'user' ? texts.accounts.users : texts.accounts.projects
  return (
    <Card title={title}>
      <NewAccount kind={kind} onMade={onChanged} />
      <DataTable
        label={title}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.zones.name, cell: ({ name }) => name },
          {
            title: texts.zones.status,
            cell: ({ enabled }) => (
              <span class={`status ${enabled ? 'good' : 'off'}`}>
                {enabled ? texts.accounts.enabled : texts.accounts.disabled}
              </span>
            ),
          },
        ]}
        actions={row => [
          onQuotas !== undefined && { text: texts.accounts.quotas, run: () => onQuotas(row) },
          {
            text: row.enabled ? texts.accounts.disable : texts.accounts.enable,
            run: () => void setEnabled(kind, row.id, !row.enabled).then(onChanged, notifyFailure),
          },
        ]}
      />
    </Card>
  )
}

type NewAccountProps = Pick<AccountsCardProps, 'kind'> & { readonly onMade: () => void }

/** Users have a password. */
function NewAccount({ kind, onMade }: NewAccountProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const isUser = kind === 'user'
  const submit = (event: Event) => {
    event.preventDefault()
    const made = isUser ? createUser(name, password) : createProject(name)
    made.then(() => {
      setName('')
      setPassword('')
      onMade()
    }, notifyFailure)
  }
  return (
    <form class="bar" onSubmit={submit}>
      <Field
        label={isUser ? texts.accounts.newUser : texts.accounts.newProject}
        value={name}
        onInput={setName}
        isRequired
      />
      {isUser && (
        <Field
          label={texts.signIn.password}
          value={password}
          onInput={setPassword}
          isSecret
          isRequired
        />
      )}
      <button type="submit">{texts.accounts.create}</button>
    </form>
  )
}

type QuotasDialogProps = { readonly project: Account; readonly onClose: () => void }

function QuotasDialog({ project, onClose }: QuotasDialogProps) {
  const { value, error } = useLoaded(() => getQuotas(project.id), [project.id])
  return (
    <Dialog title={`${project.name}: ${texts.accounts.quotas}`} onClose={onClose}>
      <p>{texts.accounts.quotasHint}</p>
      {value === undefined ? (
        <Loading error={error} />
      ) : (
        <QuotasForm quotas={value} project={project} onClose={onClose} />
      )}
    </Dialog>
  )
}

function QuotasForm({ quotas, project, onClose }: QuotasDialogProps & { readonly quotas: Quotas }) {
  const limits = Object.entries(quotas).map(([name, limit]) => [name, String(limit)] as const)
  const form = useForm<Readonly<Record<string, string>>>(Object.fromEntries(limits), typed => {
    const changed = limits.filter(([name, limit]) => typed[name] !== limit)
    const numbers = changed.map(([name]) => [name, typedNumber(typed[name] ?? '')])
    return setQuotas(project.id, Object.fromEntries(numbers)).then(onClose)
  })
  const names: Readonly<Record<string, string>> = texts.limits.names
  return (
    <Form {...form} submit={texts.common.save} onCancel={onClose}>
      {limits.map(([name]) => (
        <Field key={name} label={names[name] ?? name.replaceAll('_', ' ')} {...form.field(name)} />
      ))}
    </Form>
  )
}

async function readAccounts(): Promise<Accounts> {
  const [projects, users, roles] = await Promise.all([listProjects(), listUsers(), listRoles()])
  return { projects, users, roles }
}
