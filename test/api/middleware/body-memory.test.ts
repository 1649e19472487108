import t from 'tap'
import { BodyMemory } from '../../../src/api/middleware/body-memory.ts'
import { refusal } from '../../helpers/refusal.ts'

const tooMuch = refusal('too_many_requests')

t.test('a project may hold so much, whatever others hold', async t => {
  const bodies = new BodyMemory({ each: 10, all: 100 })
  const first = bodies.open('one')
  const second = bodies.open('one')
  first.add(6)
  second.add(4)
  t.throws(() => second.add(1), tooMuch)
  bodies.open('two').add(10)
  first.release()
  second.add(6)
  t.throws(() => second.add(1), tooMuch, 'what is released counts once')
})

t.test('all together may hold so much', async t => {
  const bodies = new BodyMemory({ each: 10, all: 15 })
  const first = bodies.open('one')
  first.add(10)
  const second = bodies.open('two')
  t.throws(() => second.add(6), tooMuch)
  second.add(5)
  first.release()
  first.release()
  second.add(5)
  t.throws(() => bodies.open('three').add(6), tooMuch, 'releasing twice is releasing once')
})

t.test('one that is longer than a project may hold is held alone', async t => {
  const bodies = new BodyMemory({ each: 10, all: 100 })
  const long = bodies.open('one')
  long.add(20)
  t.throws(() => bodies.open('one').add(1), tooMuch)
  long.release()
  bodies.open('one').add(1)
  t.throws(() => bodies.open('one').add(20), tooMuch)
  const others = new BodyMemory({ each: 10, all: 20 })
  others.open('one').add(100)
  others.open('two').add(10)
})

t.test('by default it is 64 MiB for a project, and 256 MiB for all', async t => {
  const mebibyte = 1024 * 1024
  const bodies = new BodyMemory()
  bodies.open('one').add(64 * mebibyte)
  t.throws(() => bodies.open('one').add(1), tooMuch)
  for (const project of ['two', 'three', 'four']) bodies.open(project).add(64 * mebibyte)
  t.throws(() => bodies.open('five').add(1), tooMuch)
})
