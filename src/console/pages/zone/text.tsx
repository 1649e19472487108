import { exportZone, type Zone } from '../../api/zones.ts'
import { useKept } from '../../kept.ts'
import { texts } from '../../texts.ts'
import { useLoaded } from '../../ui/loaded.ts'
import { Loading } from '../../ui/loading.tsx'
import { ZoneFileForm } from '../zone-file-form.tsx'

type ZoneTextProps = { readonly zone: Zone; readonly onChanged: () => void }

/** The edited text, and the serial of the zone when the edit began. */
type TypedFile = { readonly file: string; readonly serial: number }

/** A zone as its zone file, to be edited as a whole. The input is kept while other pages are shown. */
export function ZoneText({ zone, onChanged }: ZoneTextProps) {
  const exported = useLoaded(() => exportZone(zone), [zone.id, zone.serial])
  const [typed, keep] = useKept<TypedFile>(`text ${zone.id}`)
  const file = typed?.file ?? exported.value
  if (file === undefined || exported.error !== undefined) return <Loading error={exported.error} />
  const imported = () => {
    keep(() => undefined)
    onChanged()
  }
  return (
    <>
      {typed !== undefined && typed.serial !== zone.serial && (
        <div class="bar" role="status">
          <p class="reason">{texts.zone.changedSince}</p>
          <button type="button" onClick={() => keep(() => undefined)}>
            {texts.zone.startAgain}
          </button>
        </div>
      )}
      <ZoneFileForm
        file={file}
        replaces
        submit={texts.review.apply}
        onInput={next => keep(before => ({ file: next, serial: before?.serial ?? zone.serial }))}
        onImported={imported}
      />
    </>
  )
}
