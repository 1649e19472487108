/** `host:port`, with brackets around an IPv6 address. */
export function formatHostPort({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
