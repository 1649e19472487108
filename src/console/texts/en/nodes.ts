/** The servers that share a store, and their threads. */
export const nodes = {
  title: 'Nodes',
  explain:
    'Servers over one store. Each answers from its own copy; commits behind are still on their way to it.',
  alone:
    'This server has its store for itself. “Several nodes” in the documentation says how several share one.',
  name: 'Node',
  duty: 'duty',
  behind: 'Commits behind',
  seen: 'Seen',
  ago: (seconds: number) => `${seconds} s ago`,
  version: 'Version',
  settings: 'Settings',
  differs: 'others than at the node with the duty',
  up: 'up',
  gone: 'gone',
  catchingUp: 'catching up',
  forget: 'Forget',
  forgetNode: (name: string) => `Forget ${name}`,
  forgetTitle: (name: string) => `Forget ${name}?`,
  forgetExplain: 'For a node that does not come back. Its usage that was not handed over is lost.',
  threads: 'Answering threads of this server',
  restarts: (count: number) =>
    count === 0
      ? 'None has ended by itself.'
      : `Threads that ended by themselves and were started again: ${count}.`,
  thread: 'Thread',
  threadOf: (thread: string) => `Thread ${thread}`,
} as const
