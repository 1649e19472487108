import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { serverFolder } from '../helpers/server-folder.ts'

// The chart, rendered by Go's templates with the functions that Helm has from sprig. Debian has no Helm.

const chart = fileURLToPath(new URL('../../scripts/package/helm/', import.meta.url))
const go = '/usr/bin/go'
const isInstalled = [go, '/usr/share/gocode/src/github.com/Masterminds/sprig'].every(existsSync)
const skip = isInstalled ? false : 'needs golang-go and golang-github-masterminds-sprig-dev'

type Container = { readonly env: readonly object[]; readonly resources: object }
type Resource = {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: object }
  readonly spec: {
    readonly type?: string
    readonly template: {
      readonly spec: { readonly containers: readonly Container[]; readonly nodeSelector?: object }
    }
  }
}

t.test('the chart renders to resources, each setting as the server reads it', { skip }, async t => {
  const folder = serverFolder(t)
  const program = join(folder, 'render')
  execFileSync(go, ['build', '-o', program, '.'], {
    cwd: fileURLToPath(new URL('helm', import.meta.url)),
    env: {
      PATH: '/usr/bin:/bin',
      GOPATH: '/usr/share/gocode',
      GO111MODULE: 'off',
      GOCACHE: join(folder, 'cache'),
      // Without a C compiler, which the package of the Go compiler does not need.
      CGO_ENABLED: '0',
    },
  })
  /** Helm reads values as YAML 1.1, and every number as a float. */
  const read = (text: string) => parse(text, { version: '1.1' })
  const render = (values: string): readonly Resource[] => {
    const { name, version, appVersion } = read(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))
    const given = {
      Values: { ...read(readFileSync(join(chart, 'values.yaml'), 'utf8')), ...read(values) },
      Chart: { Name: name, Version: version, AppVersion: appVersion },
      Release: { Name: 'dns', Service: 'Helm' },
    }
    const input = JSON.stringify(given)
    const text = execFileSync(program, [join(chart, 'templates')], { input, encoding: 'utf8' })
    return parseAllDocuments(text).map(document => {
      t.same(document.errors, [])
      return document.toJS()
    })
  }
  const plain = render('{}')
  t.same(plain.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
    'PodDisruptionBudget dns',
    'Service dns-api',
    'Service dns-dns',
    'StatefulSet dns',
  ])
  const containerOf = (resources: readonly Resource[]) =>
    resources.find(({ kind }) => kind === 'StatefulSet')?.spec.template.spec.containers[0]
  t.notOk(containerOf(plain)?.env, 'what is not set is left to the server')
  const given = containerOf(
    render(`
settings:
  ZONEWRIGHT_ADMIN_API: on
  ZONEWRIGHT_AUTH_NONE: off
  ZONEWRIGHT_EVENT_HISTORY_MIB: 1048576
  ZONEWRIGHT_LOG_LEVEL:
  ZONEWRIGHT_NAMESERVERS: ns1.example.net.,ns2.example.net.
  ZONEWRIGHT_RRL_SLIP: 0
nodeSelector: { disk: fast }
service: { type: NodePort, externalTrafficPolicy: Local, annotations: { a: b } }
`),
  )
  t.same(given?.env, [
    { name: 'ZONEWRIGHT_ADMIN_API', value: 'on' },
    { name: 'ZONEWRIGHT_AUTH_NONE', value: 'off' },
    { name: 'ZONEWRIGHT_EVENT_HISTORY_MIB', value: '1048576' },
    { name: 'ZONEWRIGHT_NAMESERVERS', value: 'ns1.example.net.,ns2.example.net.' },
    { name: 'ZONEWRIGHT_RRL_SLIP', value: '0' },
  ])
})
