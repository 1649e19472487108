import { useRef } from 'preact/hooks'
import { texts } from '../texts.ts'
import { notify, notifyFailure } from './notices.tsx'

type CopyProps = { readonly label: string; readonly text: string }

/** A text with a button to copy it. */
export function Copy({ label, text }: CopyProps) {
  const element = useRef<HTMLPreElement>(null)
  const copy = async () => {
    if (element.current !== null) getSelection()?.selectAllChildren(element.current)
    // Only pages from https and from localhost may write to the clipboard; elsewhere the text is selected.
    await navigator.clipboard?.writeText(text)
    if (navigator.clipboard !== undefined) notify(texts.common.copied)
  }
  return (
    <div class="field">
      <span class="hint">{label}</span>
      <div class="copy">
        <pre ref={element}>{text}</pre>
        <button
          type="button"
          aria-label={`${texts.common.copy}: ${label}`}
          onClick={() => copy().catch(notifyFailure)}
        >
          {texts.common.copy}
        </button>
      </div>
    </div>
  )
}
