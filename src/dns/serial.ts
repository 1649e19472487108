// RFC 1982: a serial is a point on a circle of 2^32. "Greater" is only defined for distances below half
// of it, and addition wraps, so plain `<` and `+` are wrong near the top. Compare only through here.

const half = 0x8000_0000
const whole = 0x1_0000_0000

/** Whether `serial` is newer than `other` (RFC 1982 section 3.2). False for equal and for exactly opposite. */
export function isNewerSerial(serial: number, other: number): boolean {
  const distance = (serial - other + whole) % whole
  return distance !== 0 && distance < half
}

/** The serial that represents a time. */
export function serialAt(micros: number): number {
  return Math.floor(micros / 1_000_000) % whole
}

/** The serial that follows `current` at a time: the Unix time if that is newer, otherwise one more, so it
 *  always advances even when the clock stands still or was set back. */
export function nextSerial(current: number, unixSeconds: number): number {
  const now = Math.floor(unixSeconds) % whole
  return isNewerSerial(now, current) ? now : (current + 1) % whole
}
