import { lookup } from 'node:dns/promises'

/** Returns the addresses of a host name, as this machine would connect to it; none where it has none or nobody knows.
 *  Never rejects. */
export async function hostAddresses(host: string): Promise<readonly string[]> {
  try {
    const found = await lookup(host, { all: true })
    return found.map(({ address }) => address)
  } catch {
    // A name that leads nowhere is nobody's address, and whoever asks can do nothing about it.
    return []
  }
}
