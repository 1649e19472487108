import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { readSetting } from './read-setting.ts'
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

/** A node among those that share a store.
 *  @throws ConfigError node settings without a cluster, or a file that cannot be read */
export function clusterOf(sources: readonly Source[], readFile: (path: string) => string) {
  const storeUrls = readSetting('ZONEWRIGHT_STORE_URL', sources)
  const passwordFile = readSetting('ZONEWRIGHT_STORE_PASSWORD_FILE', sources)
  const node = readSetting('ZONEWRIGHT_NODE', sources) ?? hostname()
  const nodeUrl = readSetting('ZONEWRIGHT_NODE_URL', sources)
  if (storeUrls.length === 0) {
    if (passwordFile !== undefined)
      throw new ConfigError('ZONEWRIGHT_STORE_PASSWORD_FILE needs ZONEWRIGHT_STORE_URL')
    return undefined
  }
  return {
    storeUrls,
    /** Used where the URLs have none. */
    storePassword: passwordFile === undefined ? undefined : passwordIn(passwordFile, readFile),
    acceptsLoss: readSetting('ZONEWRIGHT_STORE_LOSSY', sources) === 'on',
    node,
    /** Without a trailing slash; undefined: the address where the API listens. */
    nodeUrl: withoutSlash(nodeUrl),
  }
}

function passwordIn(file: string, readFile: (path: string) => string): string {
  try {
    return readFile(resolve(file)).trim()
  } catch (cause) {
    throw new ConfigError(`ZONEWRIGHT_STORE_PASSWORD_FILE cannot be read: ${file}`, { cause })
  }
}
