/** The servers that share a store, and their threads. */
export const nodes = {
  title: 'Nodes',
  explain:
    'The servers that share this store. Each answers from its own copy; commits behind are still on their way to it.',
  alone:
    'This is the only node. The documentation describes how several share one store, under “Several nodes”.',
  name: 'Node',
  duty: 'on duty',
  behind: 'Commits behind',
  seen: 'Seen',
  ago: (seconds: number) => `${seconds} s ago`,
  version: 'Version',
  settings: 'Settings',
  differs: 'not as on the node on duty',
  up: 'up',
  gone: 'gone',
  catchingUp: 'catching up',
  copyBehind: 'copy not written',
  refusing: 'takes no changes',
  forget: 'Forget',
  forgetNode: (name: string) => `Forget ${name}`,
  forgetTitle: (name: string) => `Forget ${name}?`,
  forgetExplain: 'For a node that will not come back. Usage it has not handed over is lost.',
  threads: 'Answering threads of this server',
  restarts: (count: number) =>
    count === 0 ? 'None had to be restarted.' : `Restarted because they ended: ${count}.`,
  thread: 'Thread',
  threadOf: (thread: string) => `Thread ${thread}`,
} as const
