import t from 'tap'
import { realFiles } from '../../../src/durable/file-system.ts'
import { writeCopy } from '../../../src/store/shared/copy.ts'
import { Engine } from '../../../src/store/shared/engine.ts'
import { EngineUnavailableError } from '../../../src/store/shared/errors.ts'
import { openCopy } from '../../../src/store/shared/open-copy.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { freePort } from '../../helpers/free-port.ts'

t.test('what is left when the removal of a copy is interrupted is not served', async t => {
  const directory = t.testdir({})
  await writeCopy({ files: realFiles, directory }, { cluster: 'x', lsn: 7, link: 'ab' })
  const urls = [`postgres://postgres@127.0.0.1:${await freePort()}/postgres`]
  const engine = new Engine({ urls, node: 'one' })
  t.teardown(() => engine.close())
  const nothing = () => undefined
  const options = {
    ...{ directory, clock: fakeClock(), engine: { urls, node: 'one' } },
    ...{ onPublished: nothing, onDiverged: nothing },
  }
  // While PostgreSQL is away, a copy is served as it is: this one would have no zones.
  await t.rejects(openCopy(engine, options), EngineUnavailableError)
})
