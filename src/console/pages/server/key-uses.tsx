import { readKeyUses } from '../../api/server.ts'
import { texts } from '../../texts.ts'
import { useLoaded } from '../../ui/loaded.ts'
import { Loading } from '../../ui/loading.tsx'

const maxShown = 10

/** The pools and zones that name a TSIG key, which stay as they are when it is deleted. */
export function KeyUses({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(() => readKeyUses(id), [id])
  if (value === undefined) return <Loading error={error} />
  const shown = value.uses.slice(0, maxShown)
  const omitted = value.metadata.total_count - shown.length
  if (shown.length === 0) return <p>{texts.server.keyUnused}</p>
  return (
    <>
      <p>{texts.server.keyUsed}</p>
      <ul>
        {shown.map(({ resource, id: userId, name, places }) => (
          <li key={userId}>
            {resource === 'zone' ? (
              <a href={`/console/zones/${userId}`}>{name}</a>
            ) : (
              `${texts.server.pool} ${name}`
            )}
            : {places.map(place => texts.server.keyPlaces[place]).join(', ')}
          </li>
        ))}
        {omitted > 0 && <li>{texts.server.omitted(omitted)}</li>}
      </ul>
    </>
  )
}
