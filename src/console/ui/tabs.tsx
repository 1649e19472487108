type TabsProps = {
  readonly label: string
  readonly current: string
  readonly tabs: readonly { readonly name: string; readonly text: string; readonly href: string }[]
}

/** Parts of a page, each with its own URL. */
export function Tabs({ label, current, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, text, href }) => (
        <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
