/** Node's HTTP. An `import` would read each of its exports, and at `WebSocket` Node loads undici: several MB in each thread. */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
