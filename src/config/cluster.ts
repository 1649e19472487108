import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { isSet, readSetting } from './read-setting.ts'
import type { Source } from './sources.ts'
import { withoutSlash, withoutUserInfo } from './url.ts'

/** For display to people. */
export function describeCluster({
  storePassword,
  ...config
}: NonNullable<ReturnType<typeof clusterOf>>) {
  return {
    ...config,
    storeUrls: config.storeUrls.map(describeStoreUrl),
    ...(storePassword !== undefined && { storePassword: '[secret]' }),
  }
}

/** Server and database: user, password and options may hold secrets. */
function describeStoreUrl(url: string): string {
  return withoutUserInfo(url).replace(/\?.*/s, '')
}

const ofNodes = [
  'ZONEWRIGHT_STORE_PASSWORD_FILE',
  'ZONEWRIGHT_STORE_LOSSY',
  'ZONEWRIGHT_NODE',
  'ZONEWRIGHT_NODE_URL',
] as const

/** A node among those that share a store.
 *  @throws ConfigError node settings without a cluster, or a file that cannot be read */
export function clusterOf(sources: readonly Source[], readFile: (path: string) => string) {
  const storeUrls = readSetting('ZONEWRIGHT_STORE_URL', sources)
  if (storeUrls.length === 0) {
    const useless = ofNodes.find(name => isSet(name, sources))
    if (useless !== undefined) throw new ConfigError(`${useless} needs ZONEWRIGHT_STORE_URL`)
    return undefined
  }
  const passwordFile = readSetting('ZONEWRIGHT_STORE_PASSWORD_FILE', sources)
  return {
    storeUrls,
    /** Used where the URLs have none. */
    storePassword: passwordFile === undefined ? undefined : passwordIn(passwordFile, readFile),
    acceptsLoss: readSetting('ZONEWRIGHT_STORE_LOSSY', sources) === 'on',
    node: readSetting('ZONEWRIGHT_NODE', sources) ?? hostname(),
    /** Without a trailing slash; undefined: the address where the API listens. */
    nodeUrl: withoutSlash(readSetting('ZONEWRIGHT_NODE_URL', sources)),
  }
}

function passwordIn(file: string, readFile: (path: string) => string): string {
  try {
    return readFile(resolve(file)).trim()
  } catch (cause) {
    throw new ConfigError(`ZONEWRIGHT_STORE_PASSWORD_FILE cannot be read: ${file}`, { cause })
  }
}
