import type { Reply } from './ask.ts'

// Answers of signed zones, compared between servers.

export const askedTypes = [
  ...['A', 'AAAA', 'TXT', 'MX', 'NS', 'SOA', 'DS', 'DNSKEY', 'CNAME', 'DNAME', 'NSEC3PARAM'],
  ...['SRV', 'CDS', 'CAA'],
]

/** What two servers must agree on: the rcode, flags, the answer and the authority section but for the NS of positive
 *  answers. */
export function essence({ rcode, flags, answer, authority }: Reply): object {
  const isOptional = (line: string) => flags.includes('aa') && /^\S+ \d+ (NS|RRSIG NS) /.test(line)
  const sorted = (lines: readonly string[]) => lines.map(line => line.toLowerCase()).sort()
  const needed = authority.filter(line => !isOptional(line))
  return { rcode, flags, answer: sorted(answer), authority: sorted(needed) }
}
