/** A text for people to see: the names and passwords that URLs in it may carry before their hosts are left out. A
 *  password may hold an @ of its own, so the last one before the path counts. */
export function withoutUserInfo(text: string): string {
  return text.replace(/(?<=:\/\/)[^/]*@/g, '')
}

export function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '')
}
