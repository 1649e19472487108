import { formatName, labelsOf, nameFromOctets } from '../dns/name.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { emailError } from '../model/email.ts'
import type { Zone } from '../model/zone.ts'
import { soaNumbers } from '../zone/soa.ts'
import type { FileRrset } from './file-rrsets.ts'
import type { ImportReporter } from './import-report.ts'

/** The data of a file's SOA. Its MNAME is replaced by the pool's first name server. */
export type FileSoa = Pick<Zone, 'name' | 'serial' | 'soaTimers'> & {
  readonly email: string
  /** Null where the file gives none. */
  readonly ttlSeconds: number | null
}

/** Reads the SOA of a file. An RNAME that is no address, such as `.` or `root.`, is replaced by that of RFC 2142. */
export function fileSoaOf(rrset: FileRrset, reporter: ImportReporter): FileSoa {
  const { serial, ...soaTimers } = soaNumbers(rrset)
  const name = formatName(rrset.owner)
  const given = soaMailAddress(rrset)
  const email = given ?? `hostmaster@${name.slice(0, -1)}`
  if (given === undefined) {
    reporter.changed.add(() => ({
      name,
      type: 'SOA',
      reason: `without an address, it gets ${email}`,
    }))
  }
  return {
    name,
    email,
    ttlSeconds: rrset.hasTtl ? rrset.ttlSeconds : null,
    serial,
    soaTimers,
  }
}

/** The address in RNAME, which follows MNAME; undefined where it is none that a zone may have. */
export function soaMailAddress({
  rdatas: [rdata = new Uint8Array()],
}: Pick<FileRrset, 'rdatas'>): string | undefined {
  const mailbox = nameFromOctets(rdata, nameFromOctets(rdata, 0).length)
  const [local = '', ...domain] = labelsOf(mailbox)
  const email = `${local}@${domain.join('.')}`
  return emailError(email) === undefined ? email : undefined
}

/** The serial that a zone takes from a file, if secondaries would see it as newer; otherwise undefined, and the zone gets
 *  its own next serial. */
export function forwardSerial(
  { serial, name }: FileSoa,
  zone: Pick<Zone, 'serial'>,
  reporter: ImportReporter,
): number | undefined {
  if (isNewerSerial(serial, zone.serial)) return serial
  // The file may be an export of the zone, edited.
  if (serial === zone.serial) return undefined
  const reason = `the serial ${serial} is not newer than ${zone.serial}, so the zone goes on from there`
  reporter.changed.add(() => ({ name, type: 'SOA', reason }))
  return undefined
}
