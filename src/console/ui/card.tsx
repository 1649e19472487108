import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type CardProps = {
  readonly title: string
  readonly explain?: string
  /** Beside the title. */
  readonly beside?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A part of a page with a title. */
export function Card({ title, explain, beside, children }: CardProps) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {beside}
        {explain !== undefined && <p class="faint">{explain}</p>}
      </div>
      {children}
    </section>
  )
}
