const maxQuotedLength = 80

/** A client's value as an error message repeats it: in quotes and never longer than a line. */
export function quote(value: string): string {
  const isLong = value.length > maxQuotedLength
  return `'${isLong ? `${value.slice(0, maxQuotedLength - 1)}…` : value}'`
}
