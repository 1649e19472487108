import { useState } from 'preact/hooks'
import {
  type Account,
  type Assignment,
  grantRole,
  listAssignments,
  type Role,
  revokeRole,
} from '../api/accounts.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Choice, Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notify, notifyFailure } from '../ui/notices.tsx'

type RolesCardProps = {
  readonly projects: readonly Account[]
  readonly users: readonly Account[]
  readonly roles: readonly Role[]
}

/** Who has which role in which project. */
export function RolesCard(props: RolesCardProps) {
  const { value: assignments = [], error, reload } = useLoaded(listAssignments)
  const revoke = (assignment: Assignment) => void revokeRole(assignment).then(reload, notifyFailure)
  return (
    <Card title={texts.accounts.roles} explain={texts.accounts.rolesExplain}>
      <Grant {...props} onGranted={reload} />
      <Complaint text={error} />
      {assignments.length > 0 && (
        <DataTable
          label={texts.accounts.roles}
          rows={assignments}
          keyOf={({ user, project, role }) => `${user.id} ${project.id} ${role.id}`}
          columns={[
            { title: texts.signIn.user, cell: ({ user }) => user.name },
            { title: texts.nav.project, cell: ({ project }) => project.name },
            { title: texts.accounts.role, cell: ({ role }) => role.name },
          ]}
          actions={assignment => [
            {
              text: texts.accounts.revoke,
              label: texts.accounts.revokeOf(
                assignment.user.name,
                assignment.project.name,
                assignment.role.name,
              ),
              isDangerous: true,
              run: () => revoke(assignment),
            },
          ]}
        />
      )}
    </Card>
  )
}

type GrantProps = RolesCardProps & { readonly onGranted: () => void }

function Grant({ projects, users, roles, onGranted }: GrantProps) {
  const [user, setUser] = useState(users[0]?.id ?? '')
  const [project, setProject] = useState(projects[0]?.id ?? '')
  const [role, setRole] = useState(roles.find(({ name }) => name === 'member')?.id ?? '')
  const submit = (event: Event) => {
    event.preventDefault()
    grantRole({ user, project, role }).then(() => {
      notify(texts.accounts.granted)
      onGranted()
    }, notifyFailure)
  }
  const choices = [
    { label: texts.signIn.user, rows: users, value: user, set: setUser },
    { label: texts.nav.project, rows: projects, value: project, set: setProject },
    { label: texts.accounts.role, rows: roles, value: role, set: setRole },
  ]
  return (
    <form class="bar" onSubmit={submit}>
      {choices.map(({ label, rows, value, set }) => (
        <Choice
          key={label}
          label={label}
          value={value}
          onChange={set}
          options={rows.map(({ id, name }) => [id, name])}
        />
      ))}
      <button type="submit">{texts.accounts.submitGrant}</button>
    </form>
  )
}
