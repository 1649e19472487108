/** The account of the signed-in user. */
export const account = {
  title: 'Your account',
  language: 'Language',
  project: (name: string) => `Project ${name}`,
  projectExplain: 'Others name its ID to share a zone with it, or to hand one over to it.',
  browser: 'This browser',
  browserExplain:
    'The language of the console in this browser. Messages from the server are in English.',
  password: 'Password',
  passwordExplain: 'You will have to sign in again everywhere.',
  oldPassword: 'Current password',
  newPassword: 'New password',
  changePassword: 'Change password',
  changed: 'Password changed. Sign in with the new one.',
  factor: 'Second factor',
  factorOff:
    'Signing in needs only your password. Add an authenticator app to ask for a passcode as well.',
  factorOn: (codes: number) =>
    `Signing in also needs a passcode from your app. ${codes} recovery codes are left.`,
  setUp: 'Set up',
  setUpTitle: 'Set up a second factor',
  scan: 'Scan this with an authenticator app, or type the key into it. Then enter the passcode that the app shows.',
  qr: 'The key as a QR code',
  key: 'Key',
  passcode: 'Passcode from the app',
  turnOn: 'Turn on',
  codesTitle: 'Keep these recovery codes',
  codes:
    'Each signs you in once if you lose your app. They are shown only now. From now on, signing in needs a passcode.',
  codesLabel: 'Recovery codes',
  kept: 'I have kept them',
  turnOff: 'Turn off',
  turnOffTitle: 'Turn the second factor off?',
  turnOffExplain: 'Signing in will need only your password.',
} as const
