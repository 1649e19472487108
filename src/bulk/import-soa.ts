import { formatName, labelsOf, type Name, nameFromOctets, rootName } from '../dns/name.ts'
import { isNewerSerial } from '../dns/serial.ts'
import type { Zone } from '../model/zone.ts'
import { soaNumbers } from '../zone/soa.ts'
import type { FileRrset } from './file-rrsets.ts'
import type { ImportReporter } from './import-report.ts'

/** What a file's SOA says of its zone. Its MNAME is not kept: the pool's first name server is. */
export type FileSoa = Pick<Zone, 'name' | 'serial' | 'soaTimers'> & {
  readonly email: string
  /** Null where the file says none. */
  readonly ttlSeconds: number | null
}

/** Reads the SOA of a file. RNAME `.`, which says that there is no address, becomes RFC 2142's. */
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

/** The address that RNAME stands for, which is behind MNAME; undefined: it is `.`, which says that there is none. */
export function soaMailAddress({
  rdatas: [rdata = new Uint8Array()],
}: Pick<FileRrset, 'rdatas'>): string | undefined {
  const mailbox: Name = nameFromOctets(rdata, nameFromOctets(rdata, 0).length)
  if (mailbox === rootName) return undefined
  const [local = '', ...domain] = labelsOf(mailbox)
  return `${local}@${domain.join('.')}`
}

/** The serial a zone gets from a file: the file's, where secondaries would see that it is newer; otherwise undefined,
 *  and the next one of the zone. */
export function forwardSerial(
  { serial, name }: FileSoa,
  zone: Pick<Zone, 'serial'>,
  reporter: ImportReporter,
): number | undefined {
  if (isNewerSerial(serial, zone.serial)) return serial
  const reason = `the serial ${serial} is not newer than ${zone.serial}, so the zone goes on from there`
  reporter.changed.add(() => ({ name, type: 'SOA', reason }))
  return undefined
}
