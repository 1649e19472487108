import DNS from 'dns2'

// A second opinion on what we send: dns2's decoder, its records in the presentation text of our tests.

export type Dns2Reply = {
  readonly header: { readonly rcode: number; readonly aa: number; readonly tc: number }
  readonly question: string
  readonly answer: readonly string[]
  readonly authority: readonly string[]
  readonly additional: readonly string[]
}

type Dns2Record = { readonly name: string; readonly type: number; readonly ttl: number } & Readonly<
  Record<string, unknown>
>

/** Decodes a response with dns2. Types it has no text for come out as their code alone. */
export function dns2Reply(octets: Uint8Array): Dns2Reply {
  const packet = DNS.Packet.parse(Buffer.from(octets)) as unknown as {
    header: Dns2Reply['header']
    questions: Dns2Record[]
    answers: Dns2Record[]
    authorities: Dns2Record[]
    additionals: Dns2Record[]
    errors: unknown[]
  }
  if (packet.errors.length > 0) throw new Error(`dns2: ${packet.errors.join()}`)
  const { rcode, aa, tc } = packet.header
  const [question] = packet.questions
  return {
    header: { rcode, aa, tc },
    question: question === undefined ? '' : `${dotted(question.name)} ${question.type}`,
    answer: packet.answers.map(recordText),
    authority: packet.authorities.map(recordText),
    additional: packet.additionals.filter(({ type }) => type !== 41).map(recordText),
  }
}

function recordText(record: Dns2Record): string {
  const rdata = rdataTexts.get(record.type)?.(record) ?? record.type
  return `${dotted(record.name)} ${record.ttl} ${rdata}`
}

const rdataTexts = new Map<number, (record: Dns2Record) => string>([
  [1, ({ address }) => `A ${address}`],
  [2, ({ ns }) => `NS ${dotted(ns)}`],
  [5, ({ domain }) => `CNAME ${dotted(domain)}`],
  [6, soaText],
  [12, ({ domain }) => `PTR ${dotted(domain)}`],
  [15, ({ priority, exchange }) => `MX ${priority} ${dotted(exchange)}`],
  [
    16,
    ({ data }) =>
      `TXT ${[data]
        .flat()
        .map(string => `"${string}"`)
        .join(' ')}`,
  ],
  [28, ({ address }) => `AAAA ${address}`],
  [33, srvText],
])

function soaText(soa: Dns2Record): string {
  const numbers = [soa.serial, soa.refresh, soa.retry, soa.expiration, soa.minimum]
  return `SOA ${dotted(soa.primary)} ${dotted(soa.admin)} ${numbers.join(' ')}`
}

function srvText({ priority, weight, port, target }: Dns2Record): string {
  return `SRV ${priority} ${weight} ${port} ${dotted(target)}`
}

function dotted(name: unknown): string {
  return `${name}.`
}
