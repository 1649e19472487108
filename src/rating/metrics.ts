/** What is known of a metric before there are points of it. */
export type Metric = {
  /** Its public name: that of the service in the hashmap. */
  readonly name: string
  readonly unit: string
  readonly description: string
  /** Attributes that summaries can group by. */
  readonly groupby: readonly string[]
  /** Attributes that are only shown. */
  readonly metadata: readonly string[]
}

/** The metrics of our own meter. */
export const meteredMetrics: readonly Metric[] = [
  {
    name: 'dns.zone',
    unit: 'zone',
    description: 'Hours that a zone was there',
    groupby: ['id', 'project_id', 'zone_name', 'pool_id', 'zone_type'],
    metadata: [],
  },
  {
    name: 'dns.zone.signed',
    unit: 'zone',
    description: 'Hours that a zone was signed here, beside those of dns.zone',
    groupby: ['id', 'project_id', 'zone_name', 'pool_id'],
    metadata: [],
  },
  {
    name: 'dns.recordset',
    unit: 'recordset',
    description: 'Hours that recordsets were there, added up over them',
    groupby: ['id', 'project_id', 'zone_name', 'pool_id'],
    metadata: [],
  },
  {
    name: 'dns.queries',
    unit: 'Mquery',
    description: 'Millions of answered queries',
    groupby: ['id', 'project_id', 'zone_name', 'rcode', 'transport'],
    metadata: ['tier'],
  },
  {
    name: 'dns.bytes',
    unit: 'MB',
    description: 'Millions of octets of responses',
    groupby: ['id', 'project_id', 'zone_name', 'transport'],
    metadata: [],
  },
]

/** The metrics that CloudKitty rates by default, for clients that add such frames from outside. */
const pushedMetrics: readonly Metric[] = [
  pushed('instance', 'instance', 'Time that a server ran', ['flavor_name', 'flavor_id', 'vcpus']),
  pushed('image.size', 'MiB', 'Size of an image', ['container_format', 'disk_format']),
  pushed('volume.size', 'GiB', 'Size of a volume', ['volume_type']),
  pushed('network.outgoing.bytes.rate', 'MB', 'Traffic out of an interface', ['instance_id']),
  pushed('network.incoming.bytes.rate', 'MB', 'Traffic into an interface', ['instance_id']),
  pushed('ip.floating', 'ip', 'Time that an address was lent', ['state']),
  pushed('radosgw.objects.size', 'GiB', 'Size of stored objects', []),
]

/** All known metrics, the metered ones first. */
export const metrics: readonly Metric[] = [...meteredMetrics, ...pushedMetrics]

function pushed(
  name: string,
  unit: string,
  description: string,
  metadata: readonly string[],
): Metric {
  return { name, unit, description, groupby: ['id', 'user_id', 'project_id'], metadata }
}
