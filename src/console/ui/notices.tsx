import { signal } from '@preact/signals'

type Notice = { readonly id: number; readonly text: string; readonly kind: 'done' | 'failed' }

const notices = signal<readonly Notice[]>([])
const shownMs = 6_000
let lastId = 0

/** Shows that something was done, or failed, for a few seconds. */
export function notify(text: string, kind: Notice['kind'] = 'done'): void {
  const id = ++lastId
  notices.value = [...notices.value, { id, text, kind }]
  setTimeout(() => {
    notices.value = notices.value.filter(notice => notice.id !== id)
  }, shownMs)
}

/** Shows why something failed, in the server's words. */
export function notifyFailure(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), 'failed')
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, kind }) => (
        <p key={id} class={kind}>
          {text}
        </p>
      ))}
    </div>
  )
}
