import { texts } from '../texts.ts'

/** The way back to the zones. */
export function Crumbs() {
  return (
    <nav class="crumbs" aria-label={texts.common.breadcrumb}>
      <a href="/console/">{texts.zones.title}</a>
    </nav>
  )
}
