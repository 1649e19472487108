import t from 'tap'
import { isClientCommand } from '../../src/client/client-words.ts'

t.test('the first word behind options says whose command it is', async t => {
  for (const [words, isOurs] of [
    ['zone list', true],
    ['--json --os-cloud here record list example.com', true],
    ['--url http://127.0.0.1:9001 status', true],
    ['', false],
    ['check --data-dir zone', false],
    ['--config zone', false],
    ['pricing apply usage', false],
    ['store repair', false],
  ] as const)
    t.equal(isClientCommand(words.split(' ').filter(Boolean)), isOurs, words)
})
