// Loaded before each test file. tap follows every promise, timer and socket to the test that made it, to attribute an exception
// that nobody caught to that test; this takes a third of the time of asynchronous tests. Without it, such an exception ends the
// process, and the runner reports its file as failed, with the stack.

import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const idle = { enable: () => idle, disable: () => idle }
hooks.createHook = () => idle
syncBuiltinESMExports()
