import type { Texts } from '../shape.ts'

export const account: Texts['account'] = {
  title: 'Ihr Konto',
  language: 'Sprache',
  project: name => `Projekt ${name}`,
  projectExplain:
    'Andere nennen seine Id, um eine Zone mit ihm zu teilen oder sie ihm zu übergeben.',
  browser: 'Dieser Browser',
  browserExplain: 'Welche Worte die Konsole hier hat. Meldungen des Servers sind auf Englisch.',
  password: 'Passwort',
  passwordExplain: 'Überall, wo Sie angemeldet sind, melden Sie sich danach neu an.',
  oldPassword: 'Bisheriges Passwort',
  newPassword: 'Neues Passwort',
  changePassword: 'Passwort ändern',
  changed: 'Das Passwort ist geändert. Melden Sie sich damit an.',
  factor: 'Zweiter Faktor',
  factorOff:
    'Die Anmeldung verlangt nur Ihr Passwort. Eine App auf Ihrem Telefon kann Codes erzeugen, die zusätzlich nötig sind.',
  factorOn: codes =>
    `Die Anmeldung verlangt auch einen Code Ihrer App. Es sind noch ${codes} Wiederherstellungscodes übrig.`,
  setUp: 'Einrichten',
  setUpTitle: 'Zweiten Faktor einrichten',
  scan: 'Scannen Sie dies mit einer Authenticator-App, oder tippen Sie den Schlüssel dort ein. Geben Sie dann den Code ein, den die App zeigt.',
  qr: 'Der Schlüssel als QR-Code',
  key: 'Schlüssel',
  passcode: 'Code der App',
  turnOn: 'Einschalten',
  codesTitle: 'Bewahren Sie diese Wiederherstellungscodes auf',
  codes:
    'Jeder meldet Sie einmal an, falls die App verloren ist. Sie werden nur dieses eine Mal gezeigt. Von jetzt an melden Sie sich mit einem Code an.',
  codesLabel: 'Wiederherstellungscodes',
  kept: 'Ich habe sie aufbewahrt',
  turnOff: 'Ausschalten',
  turnOffTitle: 'Zweiten Faktor ausschalten?',
  turnOffExplain: 'Die Anmeldung verlangt dann nur noch Ihr Passwort.',
}
