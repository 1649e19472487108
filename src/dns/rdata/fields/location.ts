import { FormatError } from '../../format-error.ts'
import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import type { RdataText } from '../rdata-text.ts'
import type { RdataWriter } from '../rdata-writer.ts'

/** A place on Earth (RFC 1876 section 2), in the units it has on the wire. */
export type Location = {
  /** Mantissa and power of ten of centimeters, four bits each. */
  readonly size: number
  readonly horizontalPrecision: number
  readonly verticalPrecision: number
  /** Thousandths of a second of arc above 2^31, north positive. */
  readonly latitude: number
  /** The same, east positive. */
  readonly longitude: number
  /** Centimeters above a base 100 km below the WGS 84 spheroid. */
  readonly altitude: number
}

/** `42 21 54 N 71 06 18 W -24m 30m`: minutes, seconds, and what follows the altitude may be left out. */
export const location: Field<Location> = {
  fixedOctets: 16,
  decode: decodeLocation,
  encode: encodeLocation,
  parse: parseLocation,
  format: formatLocation,
}

const equator = 0x8000_0000
const altitudeBaseCentimeters = 10_000_000
/** RFC 1876 section 3: one meter, ten kilometers, ten meters. */
const defaultSize = 0x12
const defaultHorizontalPrecision = 0x16
const defaultVerticalPrecision = 0x13

const latitudeForm = { positive: 'N', negative: 'S', maxDegrees: 90 } as const
const longitudeForm = { positive: 'E', negative: 'W', maxDegrees: 180 } as const
type AngleForm = typeof latitudeForm | typeof longitudeForm

const perSecond = 1000
const perMinute = 60 * perSecond
const perDegree = 60 * perMinute
const angleUnits = [
  { pattern: /^\d{1,3}$/, thousandths: perDegree },
  { pattern: /^[0-5]?\d$/, thousandths: perMinute },
  { pattern: /^[0-5]?\d(?:\.\d{1,3})?$/, thousandths: perSecond },
]

/** Describes values that no place on Earth can have. */
export function findLocationFault(value: Location): string | undefined {
  const lengths = [value.size, value.horizontalPrecision, value.verticalPrecision]
  if (!lengths.every(isLength)) return 'a length is not of two digits 0 to 9'
  const isOnEarth =
    Math.abs(value.latitude - equator) <= latitudeForm.maxDegrees * perDegree &&
    Math.abs(value.longitude - equator) <= longitudeForm.maxDegrees * perDegree
  return isOnEarth ? undefined : 'at most 90 degrees of latitude and 180 of longitude are allowed'
}

function decodeLocation(reader: Reader): Location {
  const at = reader.offset
  const version = reader.u8()
  // RFC 1876 section 2: nothing may be assumed of another version.
  if (version !== 0) throw new FormatError(`LOC version ${version} at offset ${at}`)
  return {
    size: reader.u8(),
    horizontalPrecision: reader.u8(),
    verticalPrecision: reader.u8(),
    latitude: reader.u32(),
    longitude: reader.u32(),
    altitude: reader.u32(),
  }
}

function encodeLocation(value: Location, writer: RdataWriter): void {
  writer.u8(0)
  writer.u8(value.size)
  writer.u8(value.horizontalPrecision)
  writer.u8(value.verticalPrecision)
  writer.u32(value.latitude)
  writer.u32(value.longitude)
  writer.u32(value.altitude)
}

function parseLocation(text: RdataText): Location {
  const latitude = parseAngle(text, latitudeForm)
  const longitude = parseAngle(text, longitudeForm)
  return {
    latitude,
    longitude,
    altitude: parseAltitude(text),
    size: parseLength(text, defaultSize),
    horizontalPrecision: parseLength(text, defaultHorizontalPrecision),
    verticalPrecision: parseLength(text, defaultVerticalPrecision),
  }
}

function formatLocation(value: Location): string {
  return [
    formatAngle(value.latitude, latitudeForm),
    formatAngle(value.longitude, longitudeForm),
    formatMeters(value.altitude - altitudeBaseCentimeters),
    formatMeters(centimetersOf(value.size)),
    formatMeters(centimetersOf(value.horizontalPrecision)),
    formatMeters(centimetersOf(value.verticalPrecision)),
  ].join(' ')
}

/** Degrees, then optional minutes and seconds, then the hemisphere. */
function parseAngle(text: RdataText, { positive, negative }: AngleForm): number {
  const expected = `degrees, minutes, seconds and ${positive} or ${negative}`
  let angle = 0
  for (let count = 0; ; count += 1) {
    const word = text.next(expected).raw.toUpperCase()
    if (count > 0 && word === positive) return equator + angle
    if (count > 0 && word === negative) return equator - angle
    const unit = angleUnits[count]
    if (unit === undefined || !unit.pattern.test(word)) throw text.fault(expected, word)
    angle += Math.round(Number(word) * unit.thousandths)
  }
}

function formatAngle(value: number, { positive, negative }: AngleForm): string {
  const angle = Math.abs(value - equator)
  const degrees = Math.floor(angle / perDegree)
  const minutes = Math.floor((angle % perDegree) / perMinute)
  const seconds = ((angle % perMinute) / perSecond).toFixed(3)
  return `${degrees} ${minutes} ${seconds} ${value < equator ? negative : positive}`
}

function parseAltitude(text: RdataText): number {
  return text.nextAs('an altitude from -100000.00m to 42849672.95m', raw => {
    const altitude = centimeters(raw, /^-?\d{1,8}(?:\.\d{1,2})?m?$/i) + altitudeBaseCentimeters
    return altitude >= 0 && altitude <= 0xffff_ffff ? altitude : undefined
  })
}

/** Keeps the first digit only, as the wire form has no more (RFC 1876 section 2). */
function parseLength(text: RdataText, absent: number): number {
  if (text.isAtEnd) return absent
  const digits = text.nextAs('a length from 0m to 90000000.00m', raw => {
    const length = centimeters(raw, /^\d{1,8}(?:\.\d{1,2})?m?$/i)
    return length <= maxLengthCentimeters ? String(length) : undefined
  })
  return (Number(digits.charAt(0)) << 4) | (digits.length - 1)
}

const maxLengthCentimeters = 9_000_000_000

function centimeters(raw: string, pattern: RegExp): number {
  return pattern.test(raw) ? Math.round(Number(raw.replace(/m$/i, '')) * 100) : Number.NaN
}

function centimetersOf(length: number): number {
  return (length >>> 4) * 10 ** (length & 0x0f)
}

/** Zero has only one spelling: without a power of ten. */
function isLength(length: number): boolean {
  const mantissa = length >>> 4
  const power = length & 0x0f
  return mantissa <= 9 && power <= 9 && (mantissa > 0 || power === 0)
}

function formatMeters(value: number): string {
  return value % 100 === 0 ? `${value / 100}m` : `${(value / 100).toFixed(2)}m`
}
