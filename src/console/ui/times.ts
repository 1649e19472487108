const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of the API (UTC, without saying so) in the reader's zone. */
export function formatTime(text: string): string {
  return format.format(new Date(`${text.slice(0, 23)}Z`))
}
