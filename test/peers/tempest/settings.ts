import type { Endpoint } from '../../helpers/appliance.ts'
import { adminPassword } from '../whole-server.ts'

export type SettingsFacts = {
  readonly apiUrl: string
  readonly dns: Endpoint
  /** Where tempest may write. */
  readonly folder: string
  readonly accountsFile: string
}

/** The text of tempest.conf: accounts made beforehand, no other OpenStack service, and each feature of the DNS service on. */
export function tempestSettings({ apiUrl, dns, folder, accountsFile }: SettingsFacts): string {
  return ini({
    DEFAULT: { log_dir: folder, log_file: 'tempest.log', use_stderr: 'False' },
    oslo_concurrency: { lock_path: folder },
    auth: {
      use_dynamic_credentials: 'False',
      test_accounts_file: accountsFile,
      admin_username: 'admin',
      admin_password: adminPassword,
      admin_project_name: 'admin',
      admin_domain_name: 'Default',
    },
    identity: {
      auth_version: 'v3',
      uri: `${apiUrl}/identity/v3`,
      uri_v3: `${apiUrl}/identity/v3`,
      region: 'RegionOne',
    },
    'identity-feature-enabled': { api_v2: 'False', api_v3: 'True' },
    service_available: {
      designate: 'True',
      cinder: 'False',
      glance: 'False',
      neutron: 'False',
      nova: 'False',
      swift: 'False',
    },
    dns: { nameservers: `${dns.host}:${dns.port}`, build_interval: '1', build_timeout: '120' },
    dns_feature_enabled: {
      api_admin: 'True',
      api_v2_root_recordsets: 'True',
      api_v2_quotas: 'True',
      api_v2_quotas_verify_project: 'True',
    },
  })
}

function ini(sections: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const texts = Object.entries(sections).map(([section, values]) => {
    const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}`)
    return [`[${section}]`, ...lines, ''].join('\n')
  })
  return texts.join('\n')
}
