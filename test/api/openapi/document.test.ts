import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { typeOf } from '../../../src/api/dialect.ts'
import { addressOf, answersOf } from '../../../src/api/openapi/document.ts'
import { errorTypes } from '../../../src/errors.ts'
import { compile } from '../../../src/validator.ts'
import { documentedBy } from '../../helpers/documented.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'

// The document of a whole server. That answers are as it says is checked wherever tests of the API get one.

const { app, anonymous, admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
type Declared = { readonly $ref?: string; readonly headers?: object }
type Shared = { readonly responses: Readonly<Record<string, Declared>> }
const documented = documentedBy(app.mounts)
const { document } = documented
const routes = app.mounts.flatMap(mount =>
  mount.routes.map(route => {
    const path = addressOf(mount, route).replaceAll(/:(\w+)/g, '{$1}')
    return { mount, route, path, key: `${route.method} ${path}` }
  }),
)

t.test('the server sends it to anyone', async t => {
  const { status, body } = await anonymous.get('/openapi.json')
  t.equal(status, 200)
  t.equal(body.openapi, '3.1.1')
  t.same(Object.keys(body.paths), Object.keys(document.paths))
})

t.test('every route that is served is in it, and no other', async t => {
  const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
  )
  t.same(listed.sort(), routes.map(({ key }) => key).sort())
  const unknown = { status: 200, contentType: null, body: undefined }
  t.match(
    documented.problemOf({ ...unknown, method: 'GET', path: '/v2/nothing' }),
    /not documented/,
  )
})

t.test('requests say which headers they may have', t => {
  const declared = (path: string, method: string) => {
    const { parameters = [] } = document.paths[path]?.[method] ?? {}
    return (parameters as { name: string; in: string }[]).flatMap(each =>
      each.in === 'header' ? [each.name] : [],
    )
  }
  t.same(declared('/v2/zones', 'get'), [])
  t.same(declared('/v2/zones', 'post'), ['Idempotency-Key'])
  t.same(declared('/v2/zones/{zone_id}/changes', 'post'), ['Idempotency-Key', 'If-Match'])
  for (const path of ['/v2/zones/{zone_id}', '/v2/zones/{zone_id}/recordsets/{recordset_id}']) {
    t.same(declared(path, 'get'), ['If-None-Match'], path)
    t.same(declared(path, 'patch'), ['If-Match'], path)
    t.same(declared(path, 'delete'), ['If-Match'], path)
    t.same(declared(`/dns${path}`, 'delete'), [], path)
  }
  t.end()
})

t.test('answers say which headers they have, as they are sent', async t => {
  const made = await admin.post('/v2/zones', { name: 'headers.example.', email: 'ops@example.com' })
  const shown = await admin.get(`/v2/zones/${made.body.id}`)
  const missing = await admin.get('/v2/zones/nowhere.example.')
  const wrong = await admin.put('/v2/zones')
  const declared = (path: string, method: string, status: number) => {
    const responses = document.paths[path]?.[method]?.responses as Record<string, Declared>
    const found = responses[String(status)] ?? {}
    const name = found.$ref?.split('/').at(-1) ?? ''
    const { headers = {} } = (document.components as Shared).responses[name] ?? found
    return Object.keys(headers).map(each => each.toLowerCase())
  }
  const ofAnswers = ['x-openstack-request-id', 'location', 'etag', 'allow', 'retry-after']
  const sent = ({ headers }: { readonly headers: Headers }) =>
    ofAnswers.filter(name => headers.has(name))
  t.same(sent(made), ['x-openstack-request-id', 'location', 'etag'])
  for (const [answer, path, method] of [
    [made, '/v2/zones', 'post'],
    [shown, '/v2/zones/{zone_id}', 'get'],
    [missing, '/v2/zones/{zone_id}', 'get'],
  ] as const) {
    const known = declared(path, method, answer.status)
    for (const name of sent(answer)) t.ok(known.includes(name), `${method} ${path}: ${name}`)
  }
  t.ok(declared('/v2/zones', 'post', 201).includes('idempotency-replayed'))
  t.notOk(declared('/v2/zones', 'get', 200).includes('location'))
  t.same([wrong.status, sent(wrong)], [405, ['x-openstack-request-id', 'allow']])
})

t.test('every operation has a name of its own, and says what its parameters are', async t => {
  const ids = new Set<unknown>()
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations)) {
      const { operationId, parameters = [] } = operation as {
        readonly operationId: string
        readonly parameters?: readonly { readonly name: string; readonly in: string }[]
      }
      t.notOk(ids.has(operationId), operationId)
      ids.add(operationId)
      const inPath = parameters.filter(({ in: place }) => place === 'path')
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      t.same(
        inPath.map(({ name }) => name),
        wanted,
        path,
      )
    }
})

t.test('what a successful answer is is said of every route that has one', async t => {
  for (const { key, route, mount } of routes) {
    const isRefusedAlways = route.summary.startsWith('Is refused:')
    const count = Object.keys(answersOf(route, mount.dialect)).length
    t.equal(count > 0, !isRefusedAlways, key)
  }
})

t.test('every type of refusal of a route is explained in it', async t => {
  const responses = JSON.stringify(document.components)
  // That one is for what is no operation.
  for (const type of errorTypes.filter(each => each !== 'method_not_allowed'))
    t.ok(
      app.mounts.some(({ dialect }) => responses.includes(`\`${typeOf({ type }, dialect)}\`: `)),
      type,
    )
})

t.test('the example of a body passes the check of its route', async t => {
  for (const { key, route } of routes) {
    if (route.bodySchema === undefined) continue
    const { examples } = route.bodySchema as { readonly examples?: readonly unknown[] }
    const check = compile(route.bodySchema)
    for (const example of examples ?? []) t.same(check(example), [], key)
  }
})

type Node = Readonly<Record<string, unknown>>

/** Each content of the document with its example, or of its schema. */
function* contents(node: unknown, at = ''): Generator<{ at: string; content: Node }> {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    const place = `${at}/${key}`
    if (key === 'content')
      for (const [type, content] of Object.entries(value as Record<string, Node>))
        yield { at: `${place}/${type}`, content }
    else yield* contents(value, place)
  }
}

t.test('every example is as its schema says', async t => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', ...document })
  let count = 0
  const { schemas, responses } = document.components as Readonly<
    Record<string, Record<string, Node>>
  >
  for (const { at, content } of contents({ paths: document.paths, responses })) {
    const schema = content.schema as Node
    const ref = String(schema.$ref ?? '')
    const name = ref.replace('#/components/schemas/', '')
    const [ownExample] = (schemas?.[name]?.examples as readonly unknown[] | undefined) ?? []
    const example = content.example ?? ownExample
    if (content.example === undefined && schema.type === 'string') continue
    const validate = ajv.compile(ref === '' ? inDocument(schema) : { $ref: `document${ref}` })
    if (!validate(example)) t.fail(`${at}: ${ajv.errorsText(validate.errors)}`)
    count += 1
  }
  t.ok(count > 400, `${count} examples`)
})

/** A schema whose references lead into the document. */
function inDocument(schema: Node): Node {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
