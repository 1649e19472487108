import { isIPv4 } from 'node:net'
import { resolve } from 'node:path'
import { formatHostPort } from '../host-port.ts'
import { parseNetworks } from '../model/network.ts'
import { ConfigError } from './config-error.ts'
import { type ListenAddress, overlap, parseListenAddresses } from './listen-address.ts'
import { isSet, parseSetting, readSetting } from './read-setting.ts'
import type { Source } from './sources.ts'

/** The default must work on every machine, also in a container without IPv6. An explicit setting is taken literally: an
 *  address that is not available then stops the start. */
export function dnsListenOf(
  sources: readonly Source[],
  { hasIpv6 }: { readonly hasIpv6: boolean },
): readonly ListenAddress[] {
  const name = 'ZONEWRIGHT_DNS_LISTEN'
  const addresses = parseSetting(name, sources, parseListenAddresses)
  if (hasIpv6 || isSet(name, sources)) return addresses
  return addresses.filter(({ host }) => isIPv4(host))
}

/** @throws ConfigError one of several settings that belong together is missing, or another protocol has the address */
export function dnsTlsOf(sources: readonly Source[], plain: readonly ListenAddress[]) {
  const listen = parseSetting('ZONEWRIGHT_DNS_TLS_LISTEN', sources, parseListenAddresses)
  const httpsListen = parseSetting('ZONEWRIGHT_DNS_HTTPS_LISTEN', sources, parseListenAddresses)
  const isListening = listen.length + httpsListen.length > 0
  const certificateFile = readSetting('ZONEWRIGHT_DNS_TLS_CERT', sources)
  const keyFile = readSetting('ZONEWRIGHT_DNS_TLS_KEY', sources)
  const clientCaFile = readSetting('ZONEWRIGHT_DNS_TLS_CLIENT_CA', sources)
  const given = [certificateFile, keyFile, clientCaFile]
  if (!isListening && given.every(file => file === undefined)) return undefined
  if (!isListening) throw incompleteTls('ZONEWRIGHT_DNS_TLS_LISTEN')
  if (certificateFile === undefined) throw incompleteTls('ZONEWRIGHT_DNS_TLS_CERT')
  if (keyFile === undefined) throw incompleteTls('ZONEWRIGHT_DNS_TLS_KEY')
  const dns = ['ZONEWRIGHT_DNS_LISTEN', plain] as const
  const tls = ['ZONEWRIGHT_DNS_TLS_LISTEN', listen] as const
  const https = ['ZONEWRIGHT_DNS_HTTPS_LISTEN', httpsListen] as const
  requireApart(tls, dns, 'the port of DNS over TLS is 853')
  requireApart(https, dns, 'the port of DNS over HTTPS is 443')
  requireApart(https, tls, 'the port of DNS over HTTPS is 443')
  return {
    listen,
    /** Of DNS over HTTPS; at least one of the two lists is not empty. */
    httpsListen,
    /** Absolute, PEM. */
    certificateFile: resolve(certificateFile),
    keyFile: resolve(keyFile),
    /** Of the certificate authorities of clients. */
    ...(clientCaFile !== undefined && { clientCaFile: resolve(clientCaFile) }),
  }
}

/** The API on `[::]` also takes the IPv4 addresses.
 *  @throws ConfigError the name server has the address of the API */
export function requireOwnAddress(
  api: ListenAddress,
  {
    dnsListen,
    dnsTls,
  }: {
    readonly dnsListen: readonly ListenAddress[]
    readonly dnsTls: ReturnType<typeof dnsTlsOf>
  },
): void {
  const own = api.host === '::' ? [api, { ...api, host: '0.0.0.0' }] : [api]
  const others = {
    ZONEWRIGHT_DNS_LISTEN: dnsListen,
    ZONEWRIGHT_DNS_TLS_LISTEN: dnsTls?.listen ?? [],
    ZONEWRIGHT_DNS_HTTPS_LISTEN: dnsTls?.httpsListen ?? [],
  }
  for (const [setting, addresses] of Object.entries(others)) {
    const shared = addresses.find(address => own.some(ours => overlap(ours, address)))
    if (shared !== undefined) {
      throw new ConfigError(
        `ZONEWRIGHT_API_LISTEN and ${setting} both have ${formatHostPort(shared)}; each needs a port of its own`,
      )
    }
  }
}

/** How often a second one network gets the same response over UDP; undefined: as often as it asks.
 *  @throws ConfigError an exemption is no network */
export function rateLimitOf(sources: readonly Source[]) {
  const perSecond = readSetting('ZONEWRIGHT_RRL_PER_SECOND', sources)
  const windowSeconds = readSetting('ZONEWRIGHT_RRL_WINDOW_SECONDS', sources)
  const slip = readSetting('ZONEWRIGHT_RRL_SLIP', sources)
  const exempt = parseSetting('ZONEWRIGHT_RRL_EXEMPT', sources, parseNetworks)
  return perSecond === 0 ? undefined : { perSecond, windowSeconds, slip, exempt }
}

type SetAddresses = readonly [setting: string, addresses: readonly ListenAddress[]]

/** @throws ConfigError an address is in both */
function requireApart([setting, own]: SetAddresses, [other, theirs]: SetAddresses, advice: string) {
  const shared = own.find(address => theirs.some(their => overlap(address, their)))
  if (shared === undefined) return
  throw new ConfigError(`${setting} and ${other} both have ${formatHostPort(shared)}; ${advice}`)
}

function incompleteTls(missing: string): ConfigError {
  return new ConfigError(
    'ZONEWRIGHT_DNS_TLS_LISTEN or ZONEWRIGHT_DNS_HTTPS_LISTEN, ZONEWRIGHT_DNS_TLS_CERT and ZONEWRIGHT_DNS_TLS_KEY ' +
      'must be set together; ' +
      `${missing} is missing`,
  )
}
