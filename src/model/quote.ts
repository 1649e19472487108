const maxQuotedLength = 80

/** A client's value as an error message repeats it: in quotes and never longer than a line. */
export function quote(value: string): string {
  if (value.length <= maxQuotedLength) return `'${value}'`
  // Drops half of a surrogate pair at the end.
  return `'${value.slice(0, maxQuotedLength - 1).replace(/[\ud800-\udbff]$/, '')}…'`
}
