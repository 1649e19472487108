import { signal } from '@preact/signals'
import { texts } from '../texts.ts'

type Notice = {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'failed'
  readonly action: NoticeAction | undefined
}

/** An action that is still possible, such as undoing the change. */
type NoticeAction = { readonly text: string; readonly run: () => Promise<void> }

const notices = signal<readonly Notice[]>([])
const shownMs = 6_000
let lastId = 0

/** Shows that something was done, for a few seconds; with an action until the next notice, or until it is dismissed. */
export function notify(text: string, action?: NoticeAction): void {
  add(text, 'done', action)
}

/** Shows why something failed, in the server's words. */
export function notifyFailure(error: unknown): void {
  add(error instanceof Error ? error.message : String(error), 'failed')
}

function add(text: string, kind: Notice['kind'], action?: NoticeAction): void {
  const id = ++lastId
  const others = notices.value.filter(notice => notice.action === undefined)
  notices.value = [...others, { id, text, kind, action }]
  if (action === undefined) setTimeout(() => dismiss(id), shownMs)
}

function dismiss(id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id)
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, kind, action }) => (
        <p key={id} class={kind}>
          <span>{text}</span>
          {action !== undefined && (
            <>
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  dismiss(id)
                  action.run().catch(notifyFailure)
                }}
              >
                {action.text}
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={texts.common.dismiss}
                onClick={() => dismiss(id)}
              >
                ×
              </button>
            </>
          )}
        </p>
      ))}
    </div>
  )
}
