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
  const mailbox = mailboxOf(rrset)
  const name = formatName(rrset.owner)
  const [local = '', ...domain] = labelsOf(mailbox)
  const hasAddress = mailbox !== rootName
  const email = hasAddress ? `${local}@${domain.join('.')}` : `hostmaster@${name.slice(0, -1)}`
  if (!hasAddress) {
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

/** RNAME, which is behind MNAME. */
function mailboxOf({ rdatas: [rdata = new Uint8Array()] }: FileRrset): Name {
  return nameFromOctets(rdata, nameFromOctets(rdata, 0).length)
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
