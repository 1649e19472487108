import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Prometheus reads the served metrics, and the files in scripts/ops use only existing metrics.

const ops = new URL('../../scripts/ops/', import.meta.url)

function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, printed: stdout + stderr }
}

t.test('promtool takes the configuration, the alert rules and the metrics', async t => {
  const config = promtool(['check', 'config', new URL('prometheus.yml', ops).pathname])
  t.equal(config.status, 0, config.printed)
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { text } = await server.admin.get('/metrics')
  // Its style rules are for our own names; those of prom-client are the client library's.
  const { printed } = promtool(['check', 'metrics'], text)
  t.same(
    printed.split('\n').filter(line => line.startsWith('zonewright_')),
    [],
  )
  t.notMatch(printed, /error while linting/)
})

t.test('alerts and dashboard ask for metrics that are served', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { text } = await server.admin.get('/metrics')
  const served = new Set(Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name))
  for (const file of ['alerts.yml', 'dashboard.json']) {
    const asked = readFileSync(new URL(file, ops), 'utf8').match(
      /\b(?:zonewright|nodejs|process)_\w+/g,
    )
    const names = new Set(asked?.map(name => name.replace(/_(?:bucket|count|sum)$/, '')))
    t.ok(names.size > 5, file)
    t.same(
      [...names].filter(name => !served.has(name)),
      [],
      file,
    )
  }
})

t.test('no alert fires for a server as it starts', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { text } = await server.admin.get('/metrics')
  // promtool has no word for NaN, the mean lag of an event loop that was never late; no comparison holds for it either.
  const lines = Array.from(text.matchAll(/^(\w+)(?:\{(.*)\})? (?!nan$)(\S+)$/gim))
  const series = lines.map(([, name, labels, value]) => ({
    series: `${name}{${[labels, 'job="zonewright"', 'instance="one"'].filter(Boolean).join()}}`,
    values: `${value}x180`,
  }))
  t.ok(series.length > 100)
  const alerts = readFileSync(new URL('alerts.yml', ops), 'utf8')
  const names = Array.from(alerts.matchAll(/alert: (\w+)/g), ([, name]) => name)
  t.ok(names.length > 10)
  // Two and a half hours outlast each `for`.
  const folder = t.testdir({
    'silent.yml': JSON.stringify({
      rule_files: [new URL('alerts.yml', ops).pathname],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [
            { series: 'up{job="zonewright",instance="one"}', values: '1x180' },
            ...series,
          ],
          alert_rule_test: names.map(alertname => ({
            eval_time: '150m',
            alertname,
            exp_alerts: [],
          })),
        },
      ],
    }),
  })
  const { status, printed } = promtool(['test', 'rules', `${folder}/silent.yml`])
  t.equal(status, 0, printed)
})
