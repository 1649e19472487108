import { useState } from 'preact/hooks'
import {
  type Credential,
  createCredential,
  deleteCredential,
  listCredentials,
} from '../api/accounts.ts'
import { session } from '../session.ts'
import { texts } from '../texts.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Complaint, Field } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notifyFailure } from '../ui/notices.tsx'
import { formatTime } from '../ui/times.ts'

/** The credentials with which programs sign in for this user. */
export function CredentialsPage() {
  const userId = session.value?.user.id ?? ''
  const list = useLoaded(() => listCredentials(userId), [userId])
  const [name, setName] = useState('')
  const [made, setMade] = useState<Credential>()
  const create = async (event: Event) => {
    event.preventDefault()
    try {
      setMade(await createCredential(userId, name))
      setName('')
      list.reload()
    } catch (error) {
      notifyFailure(error)
    }
  }
  const remove = (id: string) => deleteCredential(userId, id).then(list.reload, notifyFailure)
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.credentials.title}</h1>
      </div>
      <p class="lead">{texts.credentials.explain(session.value?.project.name ?? '')}</p>
      <form class="bar" onSubmit={create}>
        <Field label={texts.credentials.name} value={name} onInput={setName} isRequired />
        <button type="submit" class="main">
          {texts.credentials.create}
        </button>
      </form>
      <Complaint text={list.error} />
      <DataTable
        label={texts.credentials.title}
        rows={list.value}
        empty={<p class="empty">{texts.credentials.empty}</p>}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.credentials.name, cell: ({ name: its }) => its },
          { title: texts.credentials.id, cell: ({ id }) => <code>{id}</code> },
          {
            title: texts.credentials.expires,
            cell: ({ expires_at: at }) => (at === null ? texts.credentials.never : formatTime(at)),
          },
        ]}
        actions={({ id, name: its }) => [
          {
            text: texts.common.delete,
            label: texts.credentials.remove(its),
            isDangerous: true,
            run: () => void remove(id),
          },
        ]}
      />
      {made !== undefined && (
        <Dialog title={made.name} onClose={() => setMade(undefined)} hasClose>
          <p>{texts.credentials.once}</p>
          <pre>
            {`OS_AUTH_TYPE=v3applicationcredential
OS_AUTH_URL=${location.origin}/identity/v3
OS_APPLICATION_CREDENTIAL_ID=${made.id}
OS_APPLICATION_CREDENTIAL_SECRET=${made.secret}`}
          </pre>
        </Dialog>
      )}
    </section>
  )
}
