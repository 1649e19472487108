/** How many octets a digest has, by the number of its kind. */
export type DigestOctets = ReadonlyMap<number, number>

/** Describes the fault of a digest's length; undefined where there is none, or where its kind is not known here. */
export function findDigestFault(
  { kind, digest }: { kind: number; digest: Uint8Array },
  octetsByKind: DigestOctets,
): string | undefined {
  const expected = octetsByKind.get(kind)
  if (expected === undefined || expected === digest.length) return undefined
  return `a digest of kind ${kind} has ${2 * expected} hex digits, ${2 * digest.length} were found`
}
