import { formatHostPort } from '../host-port.ts'
import { describeCluster } from './cluster.ts'
import type { Config } from './config.ts'
import { withoutUserInfo } from './url.ts'

/** The configuration for the log's first line: all of it, with secrets masked. */
export function describeConfig(config: Config): Record<string, unknown> {
  return {
    ...config,
    cluster: config.cluster && describeCluster(config.cluster),
    apiListen: formatHostPort(config.apiListen),
    dnsListen: config.dnsListen.map(formatHostPort),
    dnsTls: config.dnsTls && {
      ...config.dnsTls,
      listen: config.dnsTls.listen.map(formatHostPort),
      httpsListen: config.dnsTls.httpsListen.map(formatHostPort),
    },
    keySecret: masked(config.keySecret),
    dnsCookieSecrets: config.dnsCookieSecrets.map(masked),
    adminPassword: masked(config.adminPassword),
    adminToken: masked(config.adminToken),
    publicUrl: config.publicUrl === undefined ? undefined : withoutUserInfo(config.publicUrl),
    keystone: describeKeystone(config.keystone),
    openid: config.openid && {
      ...config.openid,
      clientSecret: masked(config.openid.clientSecret),
    },
    webhookUrls: config.webhookUrls.map(withoutUserInfo),
    webhookSecret: masked(config.webhookSecret),
    metrics: config.metrics && {
      listen: formatHostPort(config.metrics.listen),
      token: masked(config.metrics.token),
    },
  }
}

function describeKeystone(keystone: Config['keystone']) {
  if (keystone?.account === undefined) return keystone
  return {
    ...keystone,
    account: { ...keystone.account, password: masked(keystone.account.password) },
  }
}

function masked(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : '[secret]'
}
