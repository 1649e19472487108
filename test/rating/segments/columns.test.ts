import fc from 'fast-check'
import t from 'tap'
import {
  columnsWithin,
  comparePoints,
  countUpTo,
  mergeColumns,
  packColumns,
  pointAt,
  sliceColumns,
} from '../../../src/rating/segments/columns.ts'
import { held } from '../../helpers/held.ts'
import { anyPoint } from '../../helpers/usage.ts'

const points = fc.array(anyPoint)
const begins = (columns: ReturnType<typeof packColumns>): string => columns.begins.join()

t.test('points are packed in canonical order, whatever order they come in', async t => {
  held(
    t,
    fc.property(points, fc.nat(), (points, cut) => {
      const at = points.length === 0 ? 0 : cut % points.length
      const rotated = [...points.slice(at), ...points.slice(0, at)]
      const [a, b] = [packColumns(points), packColumns(rotated)]
      const inOrder = points.every(
        (_, i) => i === 0 || comparePoints(pointAt(a, i - 1), pointAt(a, i)) <= 0,
      )
      return inOrder && points.every((_, i) => comparePoints(pointAt(a, i), pointAt(b, i)) === 0)
    }),
  )
})

t.test('columns cut and merged again are the same columns', async t => {
  held(
    t,
    fc.property(points, fc.nat(), (points, cut) => {
      const whole = packColumns(points)
      const at = points.length === 0 ? 0 : cut % points.length
      const parts = [
        sliceColumns(whole, { from: at, to: points.length }),
        sliceColumns(whole, { from: 0, to: at }),
      ]
      const merged = mergeColumns(parts)
      return points.every((_, i) => comparePoints(pointAt(merged, i), pointAt(whole, i)) === 0)
    }),
  )
})

t.test('a period takes the points that begin in it', async t => {
  held(
    t,
    fc.property(points, anyPoint, anyPoint, (points, a, b) => {
      const period = { begin: a.begin, end: b.begin }
      const expected = packColumns(points.filter(p => p.begin >= a.begin && p.begin < b.begin))
      return begins(columnsWithin(packColumns(points), period)) === begins(expected)
    }),
  )
})

t.test('points up to a bound are counted', async t => {
  held(
    t,
    fc.property(points, anyPoint, (points, bound) => {
      const expected = points.filter(point => comparePoints(point, bound) <= 0).length
      return countUpTo(packColumns(points), bound) === expected
    }),
  )
})
