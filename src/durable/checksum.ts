import { crc32 } from 'node:zlib'

/** The CRC-32 of octets, or of a text's UTF-8, as eight hexadecimal digits: what every journal line and every
 *  document ends with, so that damage can be told from data. */
export function checksum(data: string | Uint8Array): string {
  return checksumText(crc32(data))
}

export function checksumText(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}
