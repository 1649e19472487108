import { texts } from '../texts.ts'
import { Complaint } from './field.tsx'

/** Stands for a value that is being read, or could not be. */
export function Loading({ error }: { readonly error: string | undefined }) {
  return error === undefined ? <p>{texts.common.loading}</p> : <Complaint text={error} />
}
