/** A text for people to see: the name and the password that a URL may carry before its host are left out. */
export function withoutUserInfo(text: string): string {
  return text.replace(/(?<=:\/\/)[^/@]*@/, '')
}
