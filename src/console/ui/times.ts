const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of the API (UTC; that of DNS does not say so) in the reader's zone. */
export function formatTime(text: string): string {
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(text)
  return format.format(new Date(hasOffset ? text : `${text.slice(0, 23)}Z`))
}
