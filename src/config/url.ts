/** A text for display, without the user names and passwords that URLs in it may have before their hosts. A password may
 *  contain an @, so the last one before the path counts. */
export function withoutUserInfo(text: string): string {
  return text.replace(/(?<=:\/\/)[^/]*@/g, '')
}

export function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '')
}
