// Requests of PowerDNS's API, in the order in which they are sent: what its clients send, and what they should not.

export type PowerDnsRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the server. */
  readonly path: string
  readonly body?: unknown
  /** Why the answers differ. */
  readonly differs?: string
}

const zone = '/zones/example.org.'

/** A value of each type, another one, and an invalid one. */
const values: Readonly<Record<string, readonly [string, string, string]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.256'],
  AAAA: ['2001:db8::1', '2001:db8::2', '2001:db8::g'],
  CAA: ['0 issue "ca.example.net"', '128 issuewild ";"', 'x issue "ca.example.net"'],
  CERT: ['1 0 0 AAAA', '1 2 0 BBBB', 'none'],
  DNAME: ['target.example.net.', 'other.example.net.', 'two targets.'],
  HINFO: ['"PC" "Linux"', '"VAX" "VMS"', '"one"'],
  HTTPS: ['1 . alpn=h2', '1 web.example.net. alpn=h3', 'x . alpn=h2'],
  LOC: [
    '52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000.00m 10.00m',
    '1 0 0.000 N 1 0 0.000 E 1.00m 1.00m 10000.00m 10.00m',
    'here',
  ],
  MX: ['10 mail.example.net.', '20 mail2.example.net.', 'mail.example.net.'],
  NAPTR: [
    '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.net!" .',
    '100 20 "s" "SIP+D2U" "" _sip._udp.example.net.',
    '100 10 "u"',
  ],
  PTR: ['host.example.net.', 'other.example.net.', 'two hosts.'],
  SRV: ['0 5 5060 sip.example.net.', '1 5 5060 sip2.example.net.', '0 5 sip.example.net.'],
  SSHFP: [
    '1 1 123456789abcdef67890123456789abcdef67890',
    '2 1 123456789abcdef67890123456789abcdef67890',
    '1 1 xyz',
  ],
  SVCB: ['1 svc.example.net. alpn=h2', '2 svc2.example.net. port=8443', '1'],
  TLSA: [
    '3 1 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971',
    '3 0 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971',
    '3 1 one d2ab',
  ],
  TXT: ['"v=spf1 -all"', '"a text" "in two"', '"open'],
  URI: ['10 1 "https://example.net/"', '20 1 "https://example.com/"', '10 1'],
}

/** What a name must begin with. */
const prefixes: Readonly<Record<string, string>> = { SRV: '_sip._tcp.', TLSA: '_443._tcp.' }

const rrset = (name: string, type: string, contents: readonly string[], more: object = {}) => ({
  ...{ name, type, ttl: 300, changetype: 'REPLACE' },
  ...{ records: contents.map(content => ({ content, disabled: false })) },
  ...more,
})

const patch = (...rrsets: readonly object[]): PowerDnsRequest => ({
  method: 'PATCH',
  path: zone,
  body: { rrsets },
})
const get = (path: string): PowerDnsRequest => ({ method: 'GET', path })
const post = (path: string, body: unknown): PowerDnsRequest => ({ method: 'POST', path, body })
const put = (path: string, body?: unknown): PowerDnsRequest => ({ method: 'PUT', path, body })
const remove = (path: string): PowerDnsRequest => ({ method: 'DELETE', path })

const differs = (why: string, request: PowerDnsRequest): PowerDnsRequest => ({
  ...request,
  differs: why,
})

const ofType = ([type, [one, other, wrong]]: [string, readonly [string, string, string]]) => {
  const name = `${prefixes[type] ?? ''}${type.toLowerCase()}.example.org.`
  const shown = get(`${zone}?rrset_name=${name}&rrset_type=${type}`)
  return [
    patch(rrset(name, type, [one])),
    shown,
    patch(rrset(name, type, [other])),
    patch(rrset(name, type, [wrong])),
    patch(
      rrset(`${prefixes[type] ?? ''}a-${type.toLowerCase()}.example.org.`, type, [one], {
        changetype: 'replace',
      }),
    ),
    shown,
    patch({ name, type, changetype: 'DELETE' }),
    shown,
  ]
}

const native = { name: 'example.org.', kind: 'Native', nameservers: ['ns1.example.net.'] }

const zoneRequests: readonly PowerDnsRequest[] = [
  differs('the version is the newest whose requests are understood', get('')),
  get('/zones'),
  get('/zones/nowhere.example.'),
  remove('/zones/nowhere.example.'),
  put('/zones/nowhere.example.', { kind: 'Native' }),
  { ...patch(rrset('a.nowhere.example.', 'A', ['192.0.2.1'])), path: '/zones/nowhere.example.' },
  post('/zones', native),
  post('/zones', native),
  post('/zones', { ...native, name: 'EXAMPLE.org.' }),
  post('/zones', { ...native, name: 'no-dot.example' }),
  post('/zones', { ...native, name: 'two..dots.example.' }),
  post('/zones', { kind: 'Native' }),
  post('/zones', { name: 'kindless.example.' }),
  differs(
    'an unknown kind is refused; there it is Native',
    post('/zones', { ...native, name: 'odd.example.', kind: 'Odd' }),
  ),
  differs('as it was made there', remove('/zones/odd.example.')),
  post('/zones', 'no object'),
  post('/zones', [native]),
  get('/zones'),
  get('/zones?zone=example.org.'),
  differs('the final dot may be missing everywhere', get('/zones?zone=example.org')),
  get('/zones?zone=other.example.'),
  get(zone),
  get('/zones/example.org'),
  get(`${zone}?rrsets=false`),
  get(`${zone}?rrset_name=www.example.org.`),
  put(zone, { kind: 'Native' }),
  put(zone, { kind: 'Master' }),
  put(zone, { soa_edit_api: 'DEFAULT' }),
  put(zone, { api_rectify: false }),
  put(zone, { account: '' }),
  put(`${zone}/notify`),
  put(`${zone}/rectify`),
  put(`${zone}/axfr-retrieve`),
  differs('the zone file has $ORIGIN and $TTL, and other columns', get(`${zone}/export`)),
  get(`${zone}/cryptokeys`),
  differs('metadata have what can be set alone', get(`${zone}/metadata`)),
  get(`${zone}/nothing`),
  post(zone, {}),
  get('/nothing'),
]

const recordRequests: readonly PowerDnsRequest[] = [
  patch(rrset('www.example.org.', 'A', ['192.0.2.1', '192.0.2.2'])),
  get(`${zone}?rrset_name=www.example.org.&rrset_type=A`),
  patch(rrset('WWW.example.org.', 'A', ['192.0.2.3'])),
  get(zone),
  differs(
    'a record that is sent twice is there once; there it is refused',
    patch(rrset('www.example.org.', 'A', ['192.0.2.1', '192.0.2.1'])),
  ),
  patch(rrset('www.example.org', 'A', ['192.0.2.1'])),
  patch(rrset('www.example.com.', 'A', ['192.0.2.1'])),
  patch(rrset('www.example.org.', 'CNAME', ['other.example.org.'])),
  patch(rrset('alias.example.org.', 'CNAME', ['www.example.org.'])),
  patch(rrset('alias.example.org.', 'CNAME', ['a.example.org.', 'b.example.org.'])),
  patch(rrset('alias.example.org.', 'A', ['192.0.2.1'])),
  patch(
    { name: 'alias.example.org.', type: 'CNAME', changetype: 'DELETE' },
    rrset('alias.example.org.', 'A', ['192.0.2.9']),
  ),
  get(`${zone}?rrset_name=alias.example.org.`),
  differs(
    'SRV, TLSA and the like are refused at names that mean nothing',
    patch(rrset('srv.example.org.', 'SRV', ['0 5 5060 sip.example.net.'])),
  ),
  patch({ name: 'srv.example.org.', type: 'SRV', changetype: 'DELETE' }),
  differs('a TXT may come without quotes', patch(rrset('bare.example.org.', 'TXT', ['bare']))),
  patch({ name: 'bare.example.org.', type: 'TXT', changetype: 'DELETE' }),
  patch(rrset('*.wild.example.org.', 'A', ['192.0.2.1'])),
  patch(rrset('under_score.example.org.', 'TXT', ['"x"'])),
  patch(rrset('deep.er.example.org.', 'MX', ['10 mail'])),
  patch(rrset('deep.er.example.org.', 'NS', ['ns.deep.er.example.org.'])),
  patch(rrset('ns.deep.er.example.org.', 'A', ['192.0.2.53'])),
  patch(rrset('empty.example.org.', 'A', [])),
  patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { ttl: undefined })),
  differs(
    'a TTL below 0 is refused',
    patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { ttl: -1 })),
  ),
  differs(
    'what has the wrong type is 422; there it is 500',
    patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { ttl: 'soon' })),
  ),
  patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { ttl: 0 })),
  patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { changetype: 'ODD' })),
  patch(rrset('www.example.org.', 'A', ['192.0.2.1'], { changetype: undefined })),
  patch(rrset('www.example.org.', 'NOTYPE', ['x'])),
  patch(rrset('www.example.org.', 'A', [''])),
  patch({ name: 'www.example.org.', changetype: 'DELETE' }),
  patch({ type: 'A', changetype: 'DELETE' }),
  patch({ name: 'gone.example.org.', type: 'A', changetype: 'DELETE' }),
  patch(
    rrset('c.example.org.', 'A', ['192.0.2.1'], {
      comments: [{ content: 'a comment', account: '' }],
    }),
  ),
  get(`${zone}?rrset_name=c.example.org.`),
  patch(rrset('c.example.org.', 'A', ['192.0.2.2'])),
  get(`${zone}?rrset_name=c.example.org.`),
  patch(rrset('c.example.org.', 'A', ['192.0.2.2'], { comments: [] })),
  get(`${zone}?rrset_name=c.example.org.`),
  patch(
    rrset('half.example.org.', 'A', ['192.0.2.1']),
    rrset('half.example.org.', 'AAAA', ['wrong']),
  ),
  get(`${zone}?rrset_name=half.example.org.`),
  patch(
    rrset('twice.example.org.', 'A', ['192.0.2.1']),
    rrset('twice.example.org.', 'A', ['192.0.2.2']),
  ),
  patch(
    { name: 'twice.example.org.', type: 'A', changetype: 'DELETE' },
    rrset('TWICE.example.org.', 'a', ['192.0.2.1']),
  ),
  get(`${zone}?rrset_name=twice.example.org&rrset_type=a`),
  patch(rrset('twice.example.org.', 'A', ['192.0.2.2']), {
    ...{ name: 'twice.example.org.', type: 'A', changetype: 'DELETE' },
  }),
  differs(
    'records cannot be disabled',
    patch(
      rrset('off.example.org.', 'A', ['192.0.2.1'], {
        records: [{ content: '192.0.2.1', disabled: true }],
      }),
    ),
  ),
  patch(rrset('off.example.org.', 'A', ['192.0.2.1'], { records: [{ content: '192.0.2.1' }] })),
  patch(rrset('ent.example.org.', 'TYPE65534', ['\\# 2 abcd'])),
  get(`${zone}?rrset_name=ent.example.org.`),
  patch(rrset('long.example.org.', 'TXT', [`"${'x'.repeat(255)}" "${'y'.repeat(255)}"`])),
  get(`${zone}?rrset_name=long.example.org.`),
  patch(rrset('long.example.org.', 'TXT', [`"${'x'.repeat(300)}"`])),
  differs('a text that is split is shown so', get(`${zone}?rrset_name=long.example.org.`)),
  patch({ name: 'long.example.org.', type: 'TXT', changetype: 'DELETE' }),
  patch(rrset(`${'x'.repeat(64)}.example.org.`, 'A', ['192.0.2.1'])),
  { method: 'PATCH', path: zone, body: {} },
  { method: 'PATCH', path: zone, body: { rrsets: [] } },
  { method: 'PATCH', path: zone, body: { rrsets: 'none' } },
  get('/search-data?q=www*&max=10'),
  get('/search-data?q=*192.0.2.9*'),
  get('/search-data?q=nothing-like-it'),
  get('/search-data?q=192.0.2.&object_type=record'),
  get('/search-data?q=example.org&object_type=zone'),
  get('/search-data?q=*.example.org&object_type=record&max=2'),
  get('/search-data?object_type=zone'),
  differs('what has the wrong type is 422; there it is 500', get('/search-data?q=x&max=none')),
  get('/search-data?q=x&object_type=odd'),
  get(zone),
]

const metadataRequests: readonly PowerDnsRequest[] = [
  get(`${zone}/metadata/ALLOW-AXFR-FROM`),
  put(`${zone}/metadata/ALLOW-AXFR-FROM`, { kind: 'ALLOW-AXFR-FROM', metadata: ['192.0.2.7'] }),
  get(`${zone}/metadata/ALLOW-AXFR-FROM`),
  differs('metadata have what can be set alone', get(`${zone}/metadata`)),
  remove(`${zone}/metadata/ALLOW-AXFR-FROM`),
  get(`${zone}/metadata/ALLOW-AXFR-FROM`),
  get('/tsigkeys'),
  post('/tsigkeys', { name: 'transfers', algorithm: 'hmac-sha256', key: 'c2VjcmV0c2VjcmV0' }),
  get('/tsigkeys'),
  get('/tsigkeys/transfers.'),
  post('/tsigkeys', { name: 'transfers', algorithm: 'hmac-sha256', key: 'c2VjcmV0c2VjcmV0' }),
  post('/tsigkeys', { name: 'odd', algorithm: 'hmac-odd', key: 'c2VjcmV0c2VjcmV0' }),
  post('/tsigkeys', { name: 'odd', algorithm: 'hmac-sha256', key: 'not base64' }),
  put('/tsigkeys/transfers.', { algorithm: 'hmac-sha512' }),
  differs('the algorithm of a key is changed; there it stays', get('/tsigkeys/transfers.')),
  remove('/tsigkeys/transfers.'),
  get('/tsigkeys/transfers.'),
  remove('/tsigkeys/transfers.'),
]

const clientZone = '/zones/clients.example.'
const patchClients = (...rrsets: readonly object[]): PowerDnsRequest => ({
  ...{ method: 'PATCH', path: clientZone },
  body: { rrsets },
})
const challenge = '_acme-challenge.www.clients.example.'

const otherComments = (request: PowerDnsRequest): PowerDnsRequest =>
  differs('comments of other names are not shown', request)

/** Requests in the form that clients give them in their sources: octoDNS, external-dns, PowerDNS-Admin, Terraform's provider,
 *  the webhook of cert-manager, and lego. */
const clientRequests: readonly PowerDnsRequest[] = [
  // octoDNS: a missing zone is created with all its records, its apex NS too; later changes delete first.
  get(clientZone),
  post('/zones', {
    ...{ name: 'clients.example.', kind: 'Master', masters: [], soa_edit_api: 'DEFAULT' },
    rrsets: [
      rrset('clients.example.', 'NS', ['ns1.example.net.']),
      rrset('www.clients.example.', 'A', ['192.0.2.1', '192.0.2.2'], { ttl: 60 }),
      rrset('clients.example.', 'CAA', ['0 issue "ca.example.net"'], { ttl: 3600 }),
    ],
  }),
  patchClients(
    rrset('www.clients.example.', 'A', ['192.0.2.1', '192.0.2.2'], { changetype: 'DELETE' }),
    rrset('www.clients.example.', 'CNAME', ['web.example.net.'], { ttl: 60 }),
  ),
  get(clientZone),
  put(`${clientZone}/notify`),
  // external-dns sends the whole zone as it was listed, with the RRsets that change.
  {
    ...{ method: 'PATCH', path: clientZone },
    body: {
      ...{ id: 'clients.example.', name: 'clients.example.', kind: 'Master', serial: 7 },
      ...{ url: '/api/v1/servers/localhost/zones/clients.example.', soa_edit_api: 'DEFAULT' },
      rrsets: [
        {
          ...{ name: 'app.clients.example.', type: 'A', ttl: 300, changetype: 'REPLACE' },
          records: [{ content: '192.0.2.7', disabled: false }],
        },
        {
          ...{ name: 'a-app.clients.example.', type: 'TXT', ttl: 300, changetype: 'REPLACE' },
          records: [{ content: '"heritage=external-dns,external-dns/owner=me"', disabled: false }],
        },
      ],
    },
  },
  get(clientZone),
  patchClients({
    ...{ name: 'app.clients.example.', type: 'A', changetype: 'DELETE' },
    records: [{ content: '192.0.2.7', disabled: false }],
  }),
  // PowerDNS-Admin: deletions first, comments where there are some.
  patchClients(
    { name: 'a-app.clients.example.', type: 'TXT', changetype: 'DELETE' },
    {
      ...rrset('desk.clients.example.', 'A', ['192.0.2.8']),
      comments: [{ content: 'front desk', account: '' }],
    },
    { ...rrset('plain.clients.example.', 'A', ['192.0.2.9']), comments: [] },
  ),
  get(`${clientZone}?rrset_name=desk.clients.example.`),
  put(clientZone, { soa_edit_api: 'DEFAULT', kind: 'Master', masters: [] }),
  put(`${clientZone}/notify`),
  get(`${clientZone}/cryptokeys`),
  // Terraform's provider: records with all fields of the older API.
  patchClients({
    ...{ name: 'tf.clients.example.', type: 'A', changetype: 'REPLACE', ttl: 300 },
    records: ['192.0.2.1', '192.0.2.2'].map(content => ({
      ...{ name: 'tf.clients.example.', type: 'A', content, ttl: 300, disabled: false },
      'set-ptr': false,
    })),
  }),
  otherComments(get(`${clientZone}?rrset_name=tf.clients.example.`)),
  patchClients({ name: 'tf.clients.example.', type: 'A', changetype: 'DELETE', ttl: 0 }),
  post('/zones', {
    ...{ id: '', name: 'tf.example.', url: '', kind: 'Native', dnsssec: false, serial: 0 },
    nameservers: ['ns1.example.net.', 'ns2.example.net.'],
  }),
  remove('/zones/tf.example.'),
  // The webhook of cert-manager: new values beside the existing ones, then the remaining values, if any.
  get(clientZone),
  patchClients(rrset(challenge, 'TXT', ['"one"'], { ttl: 120 })),
  patchClients(rrset(challenge, 'TXT', ['"one"', '"two"'], { ttl: 120 })),
  patchClients(rrset(challenge, 'TXT', ['"two"'], { ttl: 120 })),
  otherComments(get(`${clientZone}?rrset_name=${challenge}`)),
  patchClients(rrset(challenge, 'TXT', [], { ttl: 120 })),
  otherComments(get(`${clientZone}?rrset_name=${challenge}`)),
  // lego: the kind of the zone in the RRset.
  patchClients({
    ...{ name: challenge, type: 'TXT', kind: 'Master', changetype: 'REPLACE', ttl: 120 },
    records: [{ content: '"three"', disabled: false, name: challenge, type: 'TXT', ttl: 120 }],
  }),
  patchClients({ name: challenge, type: 'TXT', kind: '', changetype: 'DELETE' }),
  get(clientZone),
  remove(clientZone),
]

const lastRequests: readonly PowerDnsRequest[] = [
  post('/zones', { name: 'Copy.example.', kind: 'Slave', masters: ['2001:db8::53'] }),
  get('/zones/copy.example.'),
  put('/zones/copy.example.', { masters: ['192.0.2.54'], kind: 'Slave' }),
  get('/zones/copy.example.'),
  differs('the result does not name the master', put('/zones/copy.example./axfr-retrieve')),
  remove('/zones/copy.example.'),
  post('/zones', {
    ...{ name: 'full.example.', kind: 'Master', nameservers: ['ns1.example.net.'] },
    rrsets: [
      {
        name: 'full.example.',
        type: 'MX',
        ttl: 60,
        records: [{ content: '10 mail.full.example.', disabled: false }],
      },
      {
        name: 'mail.full.example.',
        type: 'A',
        ttl: 60,
        records: [{ content: '192.0.2.25', disabled: false }],
      },
    ],
  }),
  get('/zones/full.example.'),
  post('/zones', {
    ...native,
    name: 'bad.example.',
    rrsets: [
      {
        name: 'www.bad.example.',
        type: 'A',
        ttl: 60,
        records: [{ content: 'x', disabled: false }],
      },
    ],
  }),
  get('/zones/bad.example.'),
  post('/zones', {
    ...native,
    name: 'out.example.',
    rrsets: [
      {
        name: 'www.elsewhere.example.',
        type: 'A',
        ttl: 60,
        records: [{ content: '192.0.2.1', disabled: false }],
      },
    ],
  }),
  post('/zones', { ...native, name: '2.0.192.in-addr.arpa.' }),
  get('/zones/2.0.192.in-addr.arpa.'),
  post('/zones', { ...native, name: '0/25.2.0.192.in-addr.arpa.' }),
  get('/zones/0=2F25.2.0.192.in-addr.arpa.'),
  remove('/zones/0=2F25.2.0.192.in-addr.arpa.'),
  get('/zones'),
  remove('/zones/full.example.'),
  remove('/zones/full.example.'),
  remove(zone),
  get(zone),
]

export const powerDnsRequests: readonly PowerDnsRequest[] = [
  ...zoneRequests,
  ...Object.entries(values).flatMap(ofType),
  ...recordRequests,
  ...metadataRequests,
  ...clientRequests,
  ...lastRequests,
]
