/** What was answered for a zone, and what a month may cost. */
export const statistics = {
  title: (count: string) => (count === '1' ? '1 response' : `${count} responses`),
  since: (time: string, size: string) => `Since ${time}, ${size} in total.`,
  empty: 'No queries for this zone yet. Delegate it to the name servers listed under Settings.',
  tryIt: 'Try it now:',
  rcode: 'By rcode',
  type: 'By type',
  transport: 'By transport',
  shareTitle: 'Share',
  share: (percent: string) => `${percent} %`,
} as const

export const budget = {
  title: 'Budget',
  explain:
    'What a month should cost at most. Each threshold that is crossed is shown here and sent to webhooks.',
  amount: 'Amount per month',
  thresholds: 'Thresholds in percent',
  set: 'Set budget',
  remove: 'Remove budget',
  soFar: (cost: string, amount: string) => `${cost} of ${amount} so far`,
  forecast: (cost: string) => `Forecast for the whole month: ${cost}`,
  crossed: (percent: number) => `${percent} % is exceeded.`,
} as const

/** The limits of a project. */
export const limits = {
  title: 'Limits',
  explain: 'What this project may have. Administrators can change it.',
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  unlimited: (used: string) => `${used} used, no limit`,
  none: 'no limit',
  names: {
    zones: 'Zones',
    signed_zones: 'Signed zones',
    zone_recordsets: 'Recordsets per zone',
    zone_records: 'Records per zone',
    recordset_records: 'Values per recordset',
    api_export_size: 'Recordsets per export',
    history_days: 'Days of history',
    deleted_zone_days: 'Days to restore deleted zones',
  },
} as const
