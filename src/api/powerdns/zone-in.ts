import type { Zone } from '../../model/zone.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import type { RequestContext } from '../route.ts'
import type { Services } from '../services.ts'

/** The zone of a path, where it stands by its name; `=2F` is a slash.
 *  @throws ApiError zone_not_found */
export function zoneIn(
  { zones }: Pick<Services, 'zones'>,
  { caller, parameters }: Pick<RequestContext, 'caller' | 'parameters'>,
): Zone {
  const name = withFinalDot((parameters.zone_id ?? '').replaceAll(/=2F/gi, '/'))
  return zones.get(caller, zones.idOf(caller, name))
}
