import type { Texts } from '../shape.ts'

export const statistics: Texts['statistics'] = {
  title: count => (count === '1' ? '1 Antwort' : `${count} Antworten`),
  since: (time, size) => `Seit ${time}, zusammen ${size}.`,
  empty:
    'Nach dieser Zone wurde noch nicht gefragt. Delegieren Sie sie an die Nameserver, die unter „Einstellungen“ stehen.',
  tryIt: 'Zum Ausprobieren:',
  rcode: 'Nach Rcode',
  type: 'Nach Typ',
  transport: 'Nach Transport',
  shareTitle: 'Anteil',
  share: percent => `${percent} %`,
}

export const budget: Texts['budget'] = {
  title: 'Budget',
  explain:
    'Was ein Monat kosten soll. An jeder Schwelle wird ein Ereignis gesendet; Webhooks nehmen es entgegen.',
  amount: 'Betrag im Monat',
  thresholds: 'Schwellen in Prozent',
  set: 'Budget setzen',
  remove: 'Budget entfernen',
  soFar: (cost, amount) => `bisher ${cost} von ${amount}`,
  forecast: cost => `${cost} bis Monatsende, wenn es so weitergeht`,
  crossed: percent => `${percent} % sind überschritten.`,
}

export const limits: Texts['limits'] = {
  title: 'Grenzen',
  explain: 'Was dieses Projekt haben darf. Administratoren ändern es.',
  used: (used, limit) => `${used} von ${limit} genutzt`,
  unlimited: used => `${used} genutzt, ohne Grenze`,
  none: 'ohne Grenze',
  names: {
    zones: 'Zonen',
    signed_zones: 'Signierte Zonen',
    zone_recordsets: 'Recordsets je Zone',
    zone_records: 'Records je Zone',
    recordset_records: 'Werte je Recordset',
    api_export_size: 'Recordsets je Export',
    history_days: 'Tage des Verlaufs',
    deleted_zone_days: 'Tage zum Zurückholen von Zonen',
  },
}
