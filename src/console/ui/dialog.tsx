import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { texts } from '../texts.ts'

type DialogProps = {
  readonly title: string
  /** Also called when the dialog is closed by Escape. Left out where it cannot be closed. */
  readonly onClose?: () => void
  readonly isWide?: boolean
  /** Whether closing it is the only action. */
  readonly hasClose?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog; it is open for as long as it is rendered. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  hasClose = false,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    // The dialog is out of the page before it could be closed, so the browser does not return the focus.
    const opener = document.activeElement
    element.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {hasClose && (
        <div class="actions">
          <button type="button" class="main" onClick={onClose}>
            {texts.common.close}
          </button>
        </div>
      )}
    </dialog>
  )
}
