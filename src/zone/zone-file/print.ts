import { formatName, type Name } from '../../dns/name.ts'
import { formatRdata, typeMnemonic } from '../../dns/rdata/index.ts'
import type { OwnedRrset } from '../rrset.ts'

/** Yields the lines of a zone file, each with its line feed: `$ORIGIN`, `$TTL`, an empty line, then a record a
 *  line with absolute names, and with its TTL where that is not the default. Reading it back gives the same records.
 *  @throws FormatError an rdata that is not one of its type. */
export function* printZoneFile(
  apex: Name,
  options: { readonly defaultTtlSeconds: number; readonly rrsets: Iterable<OwnedRrset> },
): Generator<string> {
  yield `$ORIGIN ${formatName(apex)}\n$TTL ${options.defaultTtlSeconds}\n\n`
  for (const rrset of options.rrsets) {
    for (const line of recordLines(rrset, options)) yield `${line}\n`
  }
}

/** Yields the lines of an RRset, a record a line, without line feeds; with its TTL where that is not the default.
 *  @throws FormatError an rdata that is not one of its type. */
export function* recordLines(
  { owner, type, ttlSeconds, rdatas }: OwnedRrset,
  { defaultTtlSeconds }: { readonly defaultTtlSeconds?: number } = {},
): Generator<string> {
  // Designate leaves the place of a TTL empty, and its clients find the columns by counting blanks.
  const ttl = ttlSeconds === defaultTtlSeconds ? '' : ttlSeconds
  const head = `${formatName(owner)} ${ttl} IN ${typeMnemonic(type)}`
  for (const rdata of rdatas) yield `${head} ${formatRdata(type, rdata)}`
}
