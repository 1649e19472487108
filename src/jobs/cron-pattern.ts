const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Returns the node-cron pattern that fires every so many seconds, counted from midnight.
 *  @throws RangeError cron counts within a minute, an hour and a day, so the interval must divide one. */
export function cronPattern(everySeconds: number): string {
  if (divides(everySeconds, 1, minute)) return `*/${everySeconds} * * * * *`
  if (divides(everySeconds, minute, hour)) return `0 */${everySeconds / minute} * * * *`
  if (divides(everySeconds, hour, day)) return `0 0 */${everySeconds / hour} * * *`
  throw new RangeError(`${everySeconds} s do not divide a minute, an hour or a day`)
}

/** Whether the interval is a multiple of the unit, less than the whole, and divides the whole. */
function divides(seconds: number, unit: number, whole: number): boolean {
  return seconds >= unit && seconds < whole && seconds % unit === 0 && whole % seconds === 0
}
