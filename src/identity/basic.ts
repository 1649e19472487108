type BasicCredentials = { readonly name: string; readonly password: string }

/** Reads an Authorization header of the Basic scheme (RFC 7617: UTF-8, the name ends at the first colon);
 *  undefined for anything else. */
export function parseBasic(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([a-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colonAt = text.indexOf(':')
  if (colonAt < 0) return { name: text, password: '' }
  return { name: text.slice(0, colonAt), password: text.slice(colonAt + 1) }
}
