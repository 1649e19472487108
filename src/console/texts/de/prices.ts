import type { Texts } from '../shape.ts'

export const prices: Texts['prices'] = {
  explain:
    'Was alle Projekte zahlen. Ein Festpreis gilt je Einheit; ein Faktor vervielfacht den Festpreis, für den er gilt. Neue Preise zählen ab der nächsten Stunde.',
  empty:
    'Noch kostet nichts etwas. Fügen Sie einen Preis hinzu und sehen Sie, was der letzte Monat gekostet hätte.',
  list: 'Preisliste',
  metric: 'Messgröße',
  metrics: {
    'dns.zone': 'Stunden von Zonen',
    'dns.zone.signed': 'Stunden signierter Zonen',
    'dns.recordset': 'Stunden von Recordsets',
    'dns.queries': 'Anfragen, je Million',
    'dns.bytes': 'Oktette, je Million',
  },
  field: 'Nur wenn',
  noField: 'immer',
  value: 'gleich',
  kind: 'Art',
  kinds: { flat: 'Festpreis', rate: 'Faktor' },
  cost: 'Betrag',
  description: 'Beschreibung',
  ofRow: (label, row) => `${label}, Preis ${row}`,
  add: 'Preis hinzufügen',
  remove: row => `Löschen: Preis ${row}`,
  save: 'Preise speichern',
  saved: 'Die Preise sind gespeichert. Sie zählen ab der nächsten Stunde.',
  others: count =>
    `${count} weitere Regeln gelten für einzelne Projekte, für eine Zeit oder ab einer Menge. Sie bleiben und werden nur über die Rating-API geändert.`,
  month: 'Monat',
  preview: 'Was ein Monat gekostet hätte',
  previewExplain: 'Mit den Preisen oben, gespeichert oder nicht. Es ändert sich nichts.',
  tryOut: 'Berechnen',
  quantity: 'Menge',
  before: 'Hat gekostet',
  after: 'Hätte gekostet',
  all: 'Alles',
  byProject: 'Nach Projekt, die größten Unterschiede zuerst',
  project: 'Projekt',
  unused: 'In diesem Monat wurde nichts genutzt.',
}
