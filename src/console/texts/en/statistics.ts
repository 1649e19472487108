/** What was answered for a zone, and what a month may cost. */
export const statistics = {
  title: (count: string) => `${count} responses`,
  since: (time: string, size: string) => `Since ${time}, ${size} in all.`,
  empty:
    'Nothing was asked of this zone yet. Point its delegation to the name servers under Settings.',
  rcode: 'By rcode',
  type: 'By type',
  transport: 'By transport',
  shareTitle: 'Share',
  share: (percent: string) => `${percent} %`,
} as const

export const budget = {
  title: 'Budget',
  explain: 'What a month is to cost. An event is sent at each threshold; webhooks take these.',
  amount: 'Amount of a month',
  thresholds: 'Thresholds in percent, separated by blanks',
  set: 'Set budget',
  remove: 'Remove budget',
  soFar: (cost: string, amount: string) => `${cost} of ${amount} so far`,
  forecast: (cost: string) => `${cost} by the end of the month, as it goes on`,
  crossed: (percent: number) => `${percent} % was crossed.`,
} as const

/** What a project may have. */
export const limits = {
  title: 'Limits',
  explain: 'What this project may have. Administrators change it.',
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  unlimited: (used: string) => `${used} used, no limit`,
  none: 'no limit',
  names: {
    zones: 'Zones',
    signed_zones: 'Signed zones',
    zone_recordsets: 'Recordsets of a zone',
    zone_records: 'Records of a zone',
    recordset_records: 'Values of a recordset',
    api_export_size: 'Recordsets of an exported zone',
    history_days: 'Days of history',
    deleted_zone_days: 'Days that deleted zones can be restored',
  },
} as const
