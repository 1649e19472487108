import { systemClock } from '../../src/clock.ts'
import { Engine } from '../../src/store/shared/engine.ts'
import { SharedCluster } from '../../src/store/shared/shared-cluster.ts'

// A process that only competes for the duty: it reports to its parent the epoch of each duty that it takes, and each loss.

const [url = '', node = ''] = process.argv.slice(2)
const engine = new Engine({ urls: [url], node, acceptsLoss: true })
const cluster = new SharedCluster({
  engine,
  url: '',
  clock: systemClock,
  own: () => ({ isCopyBehind: false, version: '0', settings: '', lsn: 0, link: Buffer.alloc(0) }),
  onProblem: () => undefined,
})
cluster.duty.whenHeld(lost => {
  process.send?.({ epoch: cluster.duty.epoch })
  lost.addEventListener('abort', () => process.send?.({ lost: true }))
})
process.once('disconnect', () => process.exit())
cluster.start()
