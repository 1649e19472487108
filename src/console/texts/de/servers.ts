import type { Texts } from '../shape.ts'

export const servers: Texts['servers'] = {
  explain:
    'Was hier gespeichert ist, neben dem, was jeder Nameserver der Zone in diesem Moment antwortet. Davon wird nichts aufbewahrt.',
  ask: 'Jetzt fragen',
  stored: 'Hier gespeichert',
  nothing: 'Es gibt kein solches Recordset.',
  answered: 'Geantwortet',
  none: 'Die Zone hat keine Nameserver, die gefragt werden könnten.',
  server: 'Server',
  answer: 'Antwort',
  same: 'wie gespeichert',
  silent: 'keine Antwort',
  lame: rcode => `nicht autoritativ, ${rcode}`,
  differs: rcode => `weicht ab, ${rcode}`,
  ttl: seconds => `TTL ${seconds} s`,
}
