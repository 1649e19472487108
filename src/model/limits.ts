// Bounds of values, as stated by schemas, rules and documentation.

/** Seconds; RFC 2181 section 8: the top bit must be zero. */
export const maxTtlSeconds = 2_147_483_647
/** Seconds; the TTL of a PRIMARY zone that gives none. */
export const defaultTtlSeconds = 3600
/** Characters with the final dot: 255 octets of wire form are 254 characters of plain presentation form. */
export const maxNameLength = 254
/** Characters. An address that does not fit into the SOA as a name is refused as well. */
export const maxEmailLength = 255
/** Characters. */
export const maxDescriptionLength = 160
/** Masters of one zone. Each is tried in turn, so this bounds the duration of a refresh. */
export const maxMasters = 16
/** Characters. */
export const maxPoolNameLength = 50
/** Name servers of one pool. They are the apex NS of its zones, which must fit into one message. */
export const maxNsRecords = 32
export const maxNsPriority = 10_000
/** Attributes of a zone. */
export const maxAttributes = 50
/** Characters of an attribute of a pool or zone, which may be a list of servers. */
export const maxAttributeLength = 1024
/** Values of one recordset. One response of 65,535 octets holds no more, even of the smallest records. */
export const maxRecords = 4096
/** Recordsets that one change set may name. */
export const maxChangeLines = 10_000
/** Characters of one value: 65,535 octets of rdata, each written as `\DDD`, and some quotes. */
export const maxRecordLength = 300_000
