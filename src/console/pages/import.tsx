import { useState } from 'preact/hooks'
import { useKept } from '../kept.ts'
import { texts } from '../texts.ts'
import { Crumbs } from '../ui/crumbs.tsx'
import { Field } from '../ui/field.tsx'
import { ZoneFileForm } from './zone-file-form.tsx'

/** A zone file that is dropped, chosen or pasted, and kept until it is imported. */
export function ImportPage() {
  const [file = '', keep] = useKept<string>('import')
  const setFile = (text: string) => keep(() => text || undefined)
  const [replaces, setReplaces] = useState(false)
  const [origin, setOrigin] = useState('')
  const takeFirst = (files: FileList | null | undefined) => {
    const [first] = files ?? []
    if (first !== undefined) void first.text().then(setFile)
  }
  return (
    <section class="page scrolls">
      <Crumbs />
      <div class="bar">
        <h1>{texts.import.title}</h1>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways; the others are a button and a field */}
      <div
        class="drop"
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault()
          takeFirst(event.dataTransfer?.files)
        }}
      >
        <p>{texts.import.drop}</p>
        <label class="button">
          {texts.import.choose}
          <input
            type="file"
            class="unseen"
            onChange={event => takeFirst(event.currentTarget.files)}
          />
        </label>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={replaces}
          onChange={event => setReplaces(event.currentTarget.checked)}
        />
        {texts.import.replace}
      </label>
      <div class="bar">
        <Field
          label={texts.import.origin}
          placeholder={texts.import.originHint}
          value={origin}
          onInput={setOrigin}
        />
      </div>
      <ZoneFileForm
        {...{ file, replaces, origin: origin.trim() }}
        submit={texts.import.submit}
        onInput={setFile}
        onImported={() => setFile('')}
      />
    </section>
  )
}
