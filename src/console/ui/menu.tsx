import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

type MenuProps = { readonly label: string; readonly children: ComponentChildren }

/** A button that opens a menu of less frequent buttons and links. The menu closes when one of them is used, by Escape, and
 *  when the focus leaves it. */
export function Menu({ label, children }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (element.current) element.current.open = false
  }
  return (
    <details
      class="menu"
      ref={element}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        close()
        element.current?.querySelector('summary')?.focus()
      }}
      onFocusOut={event => {
        if (!element.current?.contains(event.relatedTarget as Node | null)) close()
      }}
      onClick={event => {
        if ((event.target as Element).closest('.menu-items')) close()
      }}
    >
      <summary class="button">{label}</summary>
      <div class="menu-items">{children}</div>
    </details>
  )
}
