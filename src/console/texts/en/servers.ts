/** The answers of name servers compared with the stored data. */
export const servers = {
  explain: 'What is stored here, next to what each name server of the zone answers right now.',
  ask: 'Ask now',
  stored: 'Stored here',
  nothing: 'There is no such record set.',
  answered: 'Answered',
  none: 'The zone has no name servers to ask.',
  server: 'Server',
  answer: 'Answer',
  same: 'as stored',
  silent: 'no answer',
  lame: (rcode: string) => `not authoritative, ${rcode}`,
  differs: (rcode: string) => `differs, ${rcode}`,
  ttl: (seconds: string) => `TTL ${seconds} s`,
} as const
