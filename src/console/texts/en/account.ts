/** The account of who is signed in. */
export const account = {
  title: 'Your account',
  language: 'Language',
  browser: 'This browser',
  browserExplain: 'Which words the console has here. What the server says is in English.',
  password: 'Password',
  passwordExplain: 'You sign in again wherever you are signed in.',
  oldPassword: 'Password so far',
  newPassword: 'New password',
  changePassword: 'Change password',
  changed: 'The password is changed. Sign in with it.',
  factor: 'Second factor',
  factorOff:
    'Signing in asks for your password alone. An app on your phone can make passcodes that are needed besides.',
  factorOn: (codes: number) =>
    `Signing in asks for a passcode of your app as well. ${codes} recovery codes are left.`,
  setUp: 'Set up',
  setUpTitle: 'Set up a second factor',
  scan: 'Scan this with an authenticator app, or type the key into it. Then type the passcode that the app shows.',
  qr: 'The key as a QR code',
  key: 'Key',
  passcode: 'Passcode of the app',
  turnOn: 'Turn on',
  codesTitle: 'Keep these recovery codes',
  codes:
    'Each signs you in once if your app is lost. They are shown this once. From now on you sign in with a passcode.',
  codesLabel: 'Recovery codes',
  kept: 'I have kept them',
  turnOff: 'Turn off',
  turnOffTitle: 'Turn the second factor off?',
  turnOffExplain: 'Signing in will ask for your password alone.',
} as const
