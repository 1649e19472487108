import { headerOctets } from '../dns/header.ts'
import { lowerCaseName, type Name, nameFromOctets } from '../dns/name.ts'

/** What a request asks for. */
export type Question = { readonly name: Name; readonly type: number; readonly class: number }

/** Reads the question of a request that was answered; undefined where it has no readable one.
 *  @returns the name in lower case */
export function questionOf(request: Uint8Array): Question | undefined {
  const view = new DataView(request.buffer, request.byteOffset, request.byteLength)
  if (request.length <= headerOctets || view.getUint16(4) !== 1) return undefined
  let end = headerOctets
  while ((request[end] ?? 0) !== 0) {
    const octets = request[end] as number
    if (octets > 63) return undefined
    end += 1 + octets
  }
  if (end + 5 > request.length) return undefined
  const name = lowerCaseName(nameFromOctets(request, headerOctets))
  return { name, type: view.getUint16(end + 1), class: view.getUint16(end + 3) }
}
