import { serveTasks } from '../../src/bulk/serve-tasks.ts'

// A thread of a `WorkerPool` under test.

serveTasks({
  double: {
    run: (words: Uint32Array) => words.map(word => 2 * word),
    memoryOf: (words: Uint32Array) => [words.buffer as ArrayBuffer],
  },
  refuse: {
    run: (reason: string) => {
      throw new RangeError(reason)
    },
    memoryOf: () => [],
  },
  exit: { run: () => process.exit(1), memoryOf: () => [] },
  fill: {
    run: () => {
      const held: object[] = []
      for (;;) held.push(Array.from({ length: 1000 }, (_, i) => ({ i })))
    },
    memoryOf: () => [],
  },
})
