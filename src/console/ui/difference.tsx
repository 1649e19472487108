/** Removed (`-`) and added (`+`) lines, as in a patch. */
export function Difference({ lines }: { readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
    <pre class="difference" tabIndex={0}>
      {lines.map((line, at) => (
        <span key={at} class={line.startsWith('-') ? 'goes' : 'comes'}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
