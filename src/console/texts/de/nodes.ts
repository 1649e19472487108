import type { Texts } from '../shape.ts'

export const nodes: Texts['nodes'] = {
  title: 'Knoten',
  explain:
    'Server über einem Speicher. Jeder antwortet aus seiner eigenen Kopie; rückständige Commits sind noch auf dem Weg zu ihm.',
  alone:
    'Dieser Server hat seinen Speicher für sich. Unter „Several nodes“ steht in der Dokumentation, wie mehrere sich einen teilen.',
  name: 'Knoten',
  duty: 'Dienst',
  behind: 'Rückstand in Commits',
  seen: 'Gesehen',
  ago: seconds => `vor ${seconds} s`,
  version: 'Version',
  settings: 'Einstellungen',
  differs: 'andere als am Knoten mit dem Dienst',
  up: 'läuft',
  gone: 'weg',
  catchingUp: 'holt auf',
  copyBehind: 'Kopie nicht geschrieben',
  refusing: 'nimmt keine Änderungen an',
  forget: 'Vergessen',
  forgetNode: name => `Vergessen: ${name}`,
  forgetTitle: name => `${name} vergessen?`,
  forgetExplain:
    'Für einen Knoten, der nicht wiederkommt. Nutzung, die er nicht übergeben hat, ist verloren.',
  threads: 'Antwortende Threads dieses Servers',
  restarts: count =>
    count === 0
      ? 'Keiner hat von selbst geendet.'
      : `Threads, die von selbst geendet haben und neu gestartet wurden: ${count}.`,
  thread: 'Thread',
  threadOf: thread => `Thread ${thread}`,
}
