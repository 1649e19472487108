import { useCallback, useEffect, useState } from 'preact/hooks'
import { exportZone, type Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Complaint } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { ZoneFileForm } from '../zone-file-form.tsx'

type ZoneTextProps = { readonly zone: Zone; readonly onChanged: () => void }

/** A zone as its zone file, to be edited as a whole. */
export function ZoneText({ zone, onChanged }: ZoneTextProps) {
  const exported = useLoaded(useCallback(() => exportZone(zone), [zone]))
  const [file, setFile] = useState('')
  useEffect(() => setFile(exported.value ?? ''), [exported.value])
  if (exported.error !== undefined) return <Complaint text={exported.error} />
  if (exported.value === undefined) return <p>{texts.common.loading}</p>
  return <ZoneFileForm file={file} replaces onInput={setFile} onImported={onChanged} />
}
