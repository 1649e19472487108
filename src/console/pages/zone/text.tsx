import { useCallback, useState } from 'preact/hooks'
import { exportZone, type Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Complaint } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { ZoneFileForm } from '../zone-file-form.tsx'

type ZoneTextProps = { readonly zone: Zone; readonly onChanged: () => void }

/** A zone as its zone file, to be edited as a whole. */
export function ZoneText({ zone, onChanged }: ZoneTextProps) {
  const exported = useLoaded(useCallback(() => exportZone(zone), [zone.id, zone.serial]))
  const [edited, setEdited] = useState<string>()
  if (exported.error !== undefined) return <Complaint text={exported.error} />
  if (exported.value === undefined) return <p>{texts.common.loading}</p>
  const file = edited ?? exported.value
  const imported = () => {
    setEdited(undefined)
    onChanged()
  }
  return <ZoneFileForm file={file} replaces onInput={setEdited} onImported={imported} />
}
