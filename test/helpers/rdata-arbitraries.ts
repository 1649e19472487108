import fc, { type Arbitrary } from 'fast-check'
import { maxNameOctets, type Name, nameFromLabels } from '../../src/dns/name.ts'
import { addressPrefixes } from '../../src/dns/rdata/fields/address-prefixes.ts'
import { atmAddress } from '../../src/dns/rdata/fields/atm-address.ts'
import { base32hex } from '../../src/dns/rdata/fields/base32hex.ts'
import {
  base64Rest,
  dashedBase64Rest,
  optionalBase64Rest,
} from '../../src/dns/rdata/fields/base64.ts'
import {
  algorithm,
  certificateType,
  ipProtocol,
  notifyScheme,
} from '../../src/dns/rdata/fields/code.ts'
import { relay, tunnel } from '../../src/dns/rdata/fields/gateway.ts'
import { hexRest } from '../../src/dns/rdata/fields/hex.ts'
import {
  eui48Address,
  eui64Address,
  locator64,
  nsapAddress,
  salt,
} from '../../src/dns/rdata/fields/hex-words.ts'
import { hostIdentity } from '../../src/dns/rdata/fields/host-identity.ts'
import { u8, u16, u32 } from '../../src/dns/rdata/fields/integers.ts'
import { ipv4 } from '../../src/dns/rdata/fields/ipv4.ts'
import { ipv6 } from '../../src/dns/rdata/fields/ipv6.ts'
import { type Location, location } from '../../src/dns/rdata/fields/location.ts'
import { compressedName, name, names } from '../../src/dns/rdata/fields/name.ts'
import { partialAddress } from '../../src/dns/rdata/fields/partial-address.ts'
import { ports } from '../../src/dns/rdata/fields/ports.ts'
import { propertyTag, propertyValue } from '../../src/dns/rdata/fields/property.ts'
import { seconds } from '../../src/dns/rdata/fields/seconds.ts'
import { optionalString, string, strings, textRest } from '../../src/dns/rdata/fields/strings.ts'
import { type SvcParam, svcParams } from '../../src/dns/rdata/fields/svc-params.ts'
import { timestamp } from '../../src/dns/rdata/fields/timestamp.ts'
import { lowTypes, typeBitmap } from '../../src/dns/rdata/fields/type-bitmap.ts'
import { coveredType } from '../../src/dns/rdata/fields/type-code.ts'
import { rdataTypes } from '../../src/dns/rdata/index.ts'
import { hexOf } from './wire.ts'

// Valid values for every field of every type, so that each property is stated once for all types.

const octet = fc.integer({ min: 0, max: 0xff })
const int16 = fc.integer({ min: 0, max: 0xffff })
const int32 = fc.integer({ min: 0, max: 0xffff_ffff })

/** Octets as the characters 0x00 to 0xff, quotes, backslashes and blanks more often than the rest. */
function octetText(limits: { minLength?: number; maxLength: number }): Arbitrary<string> {
  const character = fc.oneof(octet, fc.constantFrom(0x20, 0x22, 0x2c, 0x2e, 0x3b, 0x5c, 0x61))
  return fc.array(character, limits).map(codes => String.fromCharCode(...codes))
}

function octets(limits: { minLength?: number; maxLength: number }): Arbitrary<Uint8Array> {
  return fc.uint8Array(limits)
}

/** Names of all lengths, any octets in their labels. */
export const nameArbitrary: Arbitrary<Name> = fc
  .array(octetText({ minLength: 1, maxLength: 63 }), { maxLength: 12 })
  .map(labels => {
    let lengthOctets = 1
    const fitting = labels.filter(label => {
      if (lengthOctets + label.length + 1 > maxNameOctets) return false
      lengthOctets += label.length + 1
      return true
    })
    return nameFromLabels(fitting)
  })

const lengthArbitrary = fc.oneof(
  fc.constant(0),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }))
    .map(([mantissa, power]) => (mantissa << 4) | power),
)

const locationArbitrary: Arbitrary<Location> = fc.record({
  size: lengthArbitrary,
  horizontalPrecision: lengthArbitrary,
  verticalPrecision: lengthArbitrary,
  latitude: fc.integer({ min: 0x8000_0000 - 324_000_000, max: 0x8000_0000 + 324_000_000 }),
  longitude: fc.integer({ min: 0x8000_0000 - 648_000_000, max: 0x8000_0000 + 648_000_000 }),
  altitude: int32,
})

const ipv4Hints = fc.array(octets({ minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 4 })
const ipv6Hints = fc.array(octets({ minLength: 16, maxLength: 16 }), { minLength: 1, maxLength: 4 })
const alpnIds = fc.array(octetText({ minLength: 1, maxLength: 255 }), {
  minLength: 1,
  maxLength: 4,
})

const svcParamArbitrary: Arbitrary<SvcParam> = fc.oneof(
  alpnIds.map(ids => ({
    key: 1,
    octets: ids.map(id => String.fromCharCode(id.length) + id).join(''),
  })),
  fc.constant({ key: 2, octets: '' }),
  octetText({ minLength: 2, maxLength: 2 }).map(text => ({ key: 3, octets: text })),
  ipv4Hints.map(all => ({ key: 4, octets: Buffer.concat(all).toString('latin1') })),
  octetText({ minLength: 1, maxLength: 99 }).map(text => ({ key: 5, octets: text })),
  ipv6Hints.map(all => ({ key: 6, octets: Buffer.concat(all).toString('latin1') })),
  octetText({ maxLength: 40 }).map(text => ({ key: 7, octets: `/${text}{?dns}` })),
  fc.constant({ key: 8, octets: '' }),
  fc.record({ key: fc.integer({ min: 9, max: 0xffff }), octets: octetText({ maxLength: 99 }) }),
)

const svcParamsArbitrary = fc
  .uniqueArray(svcParamArbitrary, { selector: param => param.key, maxLength: 6 })
  .map(params => params.sort((left, right) => left.key - right.key))

const addressPrefixArbitrary = fc
  .record({
    family: fc.constantFrom(1, 1, 2, 2, 3),
    prefixLength: octet,
    isNegated: fc.boolean(),
    address: octets({ maxLength: 17 }),
  })
  // No zero octets at the end.
  .map(item => ({
    ...item,
    address: item.address.slice(0, item.address.findLastIndex(isNotZero) + 1),
  }))

function isNotZero(value: number): boolean {
  return value !== 0
}

/** The field after a gateway's kind; for an unknown kind, anything. */
function gatewayOf(kind: number): Arbitrary<Uint8Array> {
  if (kind === 0) return fc.constant(new Uint8Array())
  if (kind === 1) return octets({ minLength: 4, maxLength: 4 })
  if (kind === 2) return octets({ minLength: 16, maxLength: 16 })
  if (kind === 3) return nameArbitrary.map(text => Buffer.from(text, 'latin1'))
  return octets({ maxLength: 30 })
}

const gatewayKind = fc.constantFrom(0, 1, 2, 3)
/** An unknown kind takes all that follows, so it has a value of its own only where nothing follows. */
const relayKind = fc.constantFrom(0, 1, 2, 3, 4, 127)

const tunnelArbitrary = gatewayKind.chain(kind =>
  fc.record({ kind: fc.constant(kind), algorithm: octet, gateway: gatewayOf(kind) }),
)
const relayArbitrary = relayKind.chain(kind =>
  fc.record({
    discoveryOptional: fc.constantFrom(0, 1),
    kind: fc.constant(kind),
    relay: gatewayOf(kind),
  }),
)

const partialAddressArbitrary = fc
  .tuple(fc.integer({ min: 0, max: 128 }), octets({ minLength: 16, maxLength: 16 }), nameArbitrary)
  .map(([prefixBits, address, prefixName]) => {
    const suffix = address.slice(Math.floor(prefixBits / 8))
    if (suffix[0] !== undefined) suffix[0] &= 0xff >>> (prefixBits % 8)
    return prefixBits === 0 ? { prefixBits, suffix } : { prefixBits, suffix, prefixName }
  })

/** Numbers as a set has them. */
function ascending(max: number): Arbitrary<number[]> {
  return fc
    .uniqueArray(fc.integer({ min: 1, max }), { maxLength: 30 })
    .map(all => all.sort((left, right) => left - right))
}

const tagCharacter = fc.constantFrom(...'azAZ09'.split(''))

const arbitraryByField = new Map<unknown, Arbitrary<unknown>>([
  [u8, octet],
  [u16, int16],
  [u32, int32],
  [seconds, int32],
  [timestamp, int32],
  [algorithm, octet],
  [certificateType, int16],
  [coveredType, int16],
  [name, nameArbitrary],
  [compressedName, nameArbitrary],
  [ipv4, octets({ minLength: 4, maxLength: 4 })],
  [ipv6, octets({ minLength: 16, maxLength: 16 })],
  [string, octetText({ maxLength: 255 })],
  [strings, fc.array(octetText({ maxLength: 255 }), { minLength: 1, maxLength: 5 })],
  [textRest, octetText({ maxLength: 600 })],
  [propertyTag, fc.string({ unit: tagCharacter, minLength: 1, maxLength: 15 })],
  [propertyValue, octetText({ maxLength: 600 })],
  [hexRest, octets({ minLength: 1, maxLength: 100 })],
  [base64Rest, octets({ minLength: 1, maxLength: 600 })],
  [base32hex, octets({ minLength: 1, maxLength: 255 })],
  [salt, octets({ maxLength: 255 })],
  [typeBitmap, fc.uniqueArray(int16, { maxLength: 30 }).map(all => all.sort((a, b) => a - b))],
  [svcParams, svcParamsArbitrary],
  [location, locationArbitrary],
  [notifyScheme, octet],
  [ipProtocol, octet],
  [locator64, octets({ minLength: 8, maxLength: 8 })],
  [eui48Address, octets({ minLength: 6, maxLength: 6 })],
  [eui64Address, octets({ minLength: 8, maxLength: 8 })],
  [optionalBase64Rest, octets({ maxLength: 300 })],
  [dashedBase64Rest, octets({ maxLength: 300 })],
  [optionalString, fc.option(octetText({ maxLength: 255 }), { nil: undefined })],
  [nsapAddress, octets({ minLength: 1, maxLength: 100 })],
  [atmAddress, fc.record({ format: octet, octets: octets({ minLength: 1, maxLength: 40 }) })],
  [names, fc.array(nameArbitrary, { maxLength: 4 })],
  [addressPrefixes, fc.array(addressPrefixArbitrary, { maxLength: 5 })],
  [
    hostIdentity,
    fc.record({
      algorithm: octet,
      tag: octets({ minLength: 1, maxLength: 255 }),
      publicKey: octets({ minLength: 1, maxLength: 600 }),
    }),
  ],
  [tunnel, tunnelArbitrary],
  [relay, relayArbitrary],
  [partialAddress, partialAddressArbitrary],
  [lowTypes, ascending(127)],
  [ports, ascending(0xffff)],
])

/** Values of a registered type as its fields see them. */
export function valueArbitrary(type: number): Arbitrary<object> {
  const fields = Object.entries(rdataTypes.get(type)?.fields ?? {})
  const arbitraries = fields.map(([fieldName, field]) => {
    const arbitrary = arbitraryByField.get(field)
    if (arbitrary === undefined) throw new Error(`no arbitrary for the field ${fieldName}`)
    return [fieldName, arbitrary]
  })
  return fc.record(Object.fromEntries(arbitraries))
}

/** Makes values comparable: octets as hex, as views of a message and copies are not the same class. */
export function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return hexOf(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(comparable)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]))
}
