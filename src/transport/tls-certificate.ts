import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { OperatorError } from '../operator-error.ts'
import { secureContextFor, type TlsCredentials } from './tls-gate.ts'

/** The paths of a certificate, its key, and the authorities of clients. */
export type CertificatePaths = {
  readonly certificateFile: string
  readonly keyFile: string
  readonly clientCaFile?: string
}

/** DNS over TLS cannot be served with the contents of the files. The message is one line that names the file, the cause
 *  and the remedy, and never quotes the contents. */
export class CertificateError extends OperatorError {
  /** sysexits.h: a setting is wrong; starting again will not help. */
  override readonly exitCode = 78
}

/** The certificate in its files, which are renewed externally. */
export class CertificateFiles {
  readonly #paths: CertificatePaths
  #credentials: TlsCredentials
  #expiresAt: Date

  private constructor(paths: CertificatePaths, { credentials, expiresAt }: Checked) {
    this.#paths = paths
    this.#credentials = credentials
    this.#expiresAt = expiresAt
  }

  /** @throws CertificateError */
  static async open(paths: CertificatePaths): Promise<CertificateFiles> {
    return new CertificateFiles(paths, checked(await read(paths), paths))
  }

  /** The last valid credentials. */
  get credentials(): TlsCredentials {
    return this.#credentials
  }

  get expiresAt(): Date {
    return this.#expiresAt
  }

  /** Reads the files again and returns whether they have changed. Compares contents, since files may be replaced by
   *  renaming or by links, with arbitrary times.
   *  @throws CertificateError they have changed and cannot be used, or only one of both has been replaced so far; the
   *  former stay. */
  async lookAgain(): Promise<boolean> {
    const found = await read(this.#paths)
    const { certificate, key, clientCa } = this.#credentials
    const isSame = found.certificate === certificate && found.key === key
    if (isSame && found.clientCa === clientCa) return false
    const { credentials, expiresAt } = checked(found, this.#paths)
    this.#credentials = credentials
    this.#expiresAt = expiresAt
    return true
  }
}

type Checked = { readonly credentials: TlsCredentials; readonly expiresAt: Date }

const settings = {
  certificate: 'ZONEWRIGHT_DNS_TLS_CERT',
  key: 'ZONEWRIGHT_DNS_TLS_KEY',
  clientCa: 'ZONEWRIGHT_DNS_TLS_CLIENT_CA',
} as const

async function read(paths: CertificatePaths): Promise<TlsCredentials> {
  const { certificateFile, keyFile, clientCaFile } = paths
  return {
    certificate: await textOf(certificateFile, settings.certificate),
    key: await textOf(keyFile, settings.key),
    ...(clientCaFile && { clientCa: await textOf(clientCaFile, settings.clientCa) }),
  }
}

async function textOf(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'latin1')
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const words = unreadable[code] ?? `${message}. Name another file.`
    throw new CertificateError(`${setting}: cannot read ${path}: ${words}`, { cause })
  }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file. Put it there, or name another.',
  EACCES: 'not permitted. Let the user that runs the server read it and enter its folders.',
  EISDIR: 'it is a folder. Name the file in it.',
}

/** @throws CertificateError */
function checked(credentials: TlsCredentials, paths: CertificatePaths): Checked {
  const { certificateFile, clientCaFile } = paths
  const certificate = parseCertificate(credentials.certificate, {
    path: certificateFile,
    setting: settings.certificate,
  })
  const { clientCa } = credentials
  if (clientCaFile !== undefined && clientCa !== undefined)
    parseCertificate(clientCa, { path: clientCaFile, setting: settings.clientCa })
  const key = parseKey(credentials.key, paths.keyFile)
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateError(
      `${settings.key}: the key in ${paths.keyFile} is not that of the first certificate in ` +
        `${paths.certificateFile}. Name the two that were made together, the server's own certificate first.`,
    )
  }
  try {
    secureContextFor(credentials)
  } catch (cause) {
    const words = `TLS cannot use ${paths.certificateFile}: ${reasonOf(cause)}`
    throw new CertificateError(`${settings.certificate}: ${words}. Have another made.`, { cause })
  }
  return { credentials, expiresAt: certificate.validToDate }
}

type Source = { readonly path: string; readonly setting: string }

/** @throws CertificateError */
function parseCertificate(text: string, { path, setting }: Source): X509Certificate {
  // The parser would also accept DER, which TLS does not.
  if (text.includes('-----BEGIN CERTIFICATE-----')) {
    try {
      return new X509Certificate(text)
    } catch (cause) {
      const words = `the certificate in ${path} cannot be read: ${reasonOf(cause)}`
      throw new CertificateError(`${setting}: ${words}. Copy it again.`, { cause })
    }
  }
  throw new CertificateError(
    `${setting}: ${path} has no certificate in PEM (-----BEGIN CERTIFICATE-----). ` +
      'Name the file that has, or convert it.',
  )
}

function parseKey(text: string, path: string): KeyObject {
  const label = /-----BEGIN (?<label>[A-Z ]*)PRIVATE KEY-----/.exec(text)?.groups?.label
  if (label === undefined) {
    throw new CertificateError(
      `${settings.key}: ${path} has no private key in PEM (-----BEGIN PRIVATE KEY-----). ` +
        'Name the file that has, or convert it.',
    )
  }
  if (label.includes('ENCRYPTED') || text.includes('Proc-Type: 4,ENCRYPTED')) {
    throw new CertificateError(
      `${settings.key}: the key in ${path} has a passphrase. ` +
        'Take it off (openssl pkey), and let nobody else read the file.',
    )
  }
  try {
    return createPrivateKey(text)
  } catch (cause) {
    const words = `the key in ${path} cannot be read: ${reasonOf(cause)}`
    throw new CertificateError(`${settings.key}: ${words}. Copy it again.`, { cause })
  }
}

/** OpenSSL's message, in one line. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.split('\n', 1)[0] ?? ''
}
