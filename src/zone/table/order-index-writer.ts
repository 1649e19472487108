import { orderCountMask, orderLevelShift, orderPage } from './layout.ts'
import type { OrderIndex } from './order-index.ts'
import type { TableStore } from './table-store.ts'

/** Items of a full page. */
const maxItems = 62
/** Pages on the way from a root to a leaf: far more than memory has entries for. */
const maxLevels = 16

/** The writer's side of order indexes. It adds or removes the entry of the last search key (`OrderIndex`). A change
 *  rewrites one leaf, and pages above it only where one is split or gone. */
export class OrderIndexWriter {
  readonly #store: TableStore
  /** The path to the current leaf: pages from the root down, and the item of each that leads to the next. */
  readonly #pages = new Int32Array(maxLevels)
  readonly #indexes = new Int32Array(maxLevels)
  #depth = 0

  constructor(store: TableStore) {
    this.#store = store
  }

  /** Adds an entry, which must not be there. */
  add(order: OrderIndex, rootAt: number, entry: number): void {
    if (this.#store.words[rootAt] === 0) {
      this.#store.publish(rootAt, this.#writePage(order, 0, [entry]))
      return
    }
    this.#descend(order, rootAt)
    const leaf = this.#depth - 1
    const at = (this.#indexes[leaf] as number) + 1
    const items = this.#itemsOf(this.#pages[leaf] as number).toSpliced(at, 0, entry)
    this.#rewrite(order, rootAt, { level: leaf, items })
  }

  /** Removes an entry; returns whether it was there. */
  remove(order: OrderIndex, rootAt: number, entry: number): boolean {
    if (!this.#find(order, rootAt, entry)) return false
    const leaf = this.#depth - 1
    const items = this.#itemsOf(this.#pages[leaf] as number)
    const left = items.toSpliced(this.#indexes[leaf] as number, 1)
    this.#rewrite(order, rootAt, { level: leaf, items: left })
    return true
  }

  /** Replaces an entry with another of the same order; returns whether the old one was there. */
  replace(
    order: OrderIndex,
    rootAt: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): boolean {
    if (!this.#find(order, rootAt, from)) return false
    const leaf = this.#depth - 1
    const index = this.#indexes[leaf] as number
    this.#store.publish((this.#pages[leaf] as number) + orderPage.items + index, to)
    if (index === 0) this.#publishMoved(leaf, to)
    return true
  }

  /** Moves the pages on the path to the search key out of memory pages that are to be emptied. */
  movePages(order: OrderIndex, rootAt: number): void {
    const { words, slabs } = this.#store
    if (words[rootAt] === 0) return
    this.#descend(order, rootAt)
    for (let level = this.#depth - 1; level >= 0; level -= 1) {
      const page = this.#pages[level] as number
      if (!slabs.isInClosedPage(page)) continue
      this.#replacePage(order, rootAt, { level, pages: [this.#store.copy(page)] })
    }
  }

  /** Removes the first leaf of a tree and returns its entries; none where the tree is empty. */
  takeFirstLeaf(order: OrderIndex, rootAt: number): number[] {
    const { words } = this.#store
    let page = words[rootAt] as number
    if (page === 0) return []
    for (this.#depth = 0; ; page = words[page + orderPage.items] as number) {
      this.#pages[this.#depth] = page
      this.#indexes[this.#depth] = 0
      this.#depth += 1
      if (this.#levelOf(page) === 0) break
    }
    const entries = this.#itemsOf(page)
    this.#replacePage(order, rootAt, { level: this.#depth - 1, pages: [] })
    return entries
  }

  /** Returns the first entry behind the search key, or 0. */
  next(order: OrderIndex, rootAt: number): number {
    const { words } = this.#store
    if (words[rootAt] === 0) return 0
    this.#descend(order, rootAt)
    let level = this.#depth - 1
    while (
      level >= 0 &&
      (this.#indexes[level] as number) + 1 === this.#countOf(this.#pages[level] as number)
    ) {
      level -= 1
    }
    if (level < 0) return 0
    const page = this.#pages[level] as number
    const index = (this.#indexes[level] as number) + 1
    const isLeaf = this.#levelOf(page) === 0
    return words[page + orderPage.items + (isLeaf ? index : 2 * index + 1)] as number
  }

  /** Yields all entries in order. The tree must not change before the last one. */
  *entries(rootAt: number): Generator<number> {
    const root = this.#store.words[rootAt] as number
    if (root !== 0) yield* this.#entriesBelow(root)
  }

  *#entriesBelow(page: number): Generator<number> {
    const items = this.#itemsOf(page)
    if (this.#levelOf(page) === 0) yield* items
    else for (let i = 0; i < items.length; i += 2) yield* this.#entriesBelow(items[i] as number)
  }

  /** Descends to where the search key is or would be. */
  #descend(order: OrderIndex, rootAt: number): void {
    const { words } = this.#store
    let page = words[rootAt] as number
    for (this.#depth = 0; ; ) {
      const isLeaf = this.#levelOf(page) === 0
      const index = Math.max(order.lastIndex(page, 0), isLeaf ? -1 : 0)
      this.#pages[this.#depth] = page
      this.#indexes[this.#depth] = index
      this.#depth += 1
      if (isLeaf) return
      page = words[page + orderPage.items + 2 * index] as number
    }
  }

  #find(order: OrderIndex, rootAt: number, entry: number): boolean {
    const { words } = this.#store
    if (words[rootAt] === 0) return false
    this.#descend(order, rootAt)
    const leaf = this.#depth - 1
    const index = this.#indexes[leaf] as number
    return index >= 0 && words[(this.#pages[leaf] as number) + orderPage.items + index] === entry
  }

  /** Replaces the page at a level of the path with a page of other items, or with two or none. */
  #rewrite(
    order: OrderIndex,
    rootAt: number,
    { level, items }: { readonly level: number; readonly items: readonly number[] },
  ): void {
    const page = this.#pages[level] as number
    const pageLevel = this.#levelOf(page)
    const maxWords = maxItems * itemWordsAt(pageLevel)
    if (items.length <= maxWords) {
      const pages = items.length === 0 ? [] : [this.#writePage(order, pageLevel, items, page)]
      this.#replacePage(order, rootAt, { level, pages })
      return
    }
    // Entries that come in order leave full pages behind.
    const index = this.#indexes[level] as number
    const isAtEnd = index >= this.#countOf(page) - 1
    const cut = isAtEnd ? maxWords : maxWords / 2
    const pages = [
      this.#writePage(order, pageLevel, items.slice(0, cut)),
      this.#writePage(order, pageLevel, items.slice(cut)),
    ]
    this.#replacePage(order, rootAt, { level, pages })
  }

  /** Publishes one page, or two or none, in place of the one at a level of the path. */
  #replacePage(
    order: OrderIndex,
    rootAt: number,
    { level, pages }: { readonly level: number; readonly pages: readonly number[] },
  ): void {
    const replaced = this.#pages[level] as number
    const [page] = pages
    if (level === 0) {
      const isOne = pages.length < 2
      const root = isOne
        ? (page ?? 0)
        : this.#writePage(order, this.#levelOf(replaced) + 1, this.#asItems(pages))
      this.#store.publish(rootAt, root)
    } else {
      const parent = this.#pages[level - 1] as number
      const index = this.#indexes[level - 1] as number
      const at = parent + orderPage.items + 2 * index
      const isSameFirst =
        pages.length === 1 && this.#store.words[at + 1] === this.#firstOf(page as number)
      if (isSameFirst) this.#store.publish(at, page as number)
      else {
        const items = this.#itemsOf(parent).toSpliced(2 * index, 2, ...this.#asItems(pages))
        this.#rewrite(order, rootAt, { level: level - 1, items })
      }
    }
    if (page !== undefined) this.#pages[level] = page
    this.#store.retire(replaced)
  }

  /** Notes above a leaf that the entry it begins with lies elsewhere. */
  #publishMoved(leaf: number, entry: number): void {
    let top = leaf
    do top -= 1
    while (top > 0 && this.#indexes[top] === 0)
    for (let above = Math.max(top, 0); above < leaf; above += 1) {
      const page = this.#pages[above] as number
      const at = page + orderPage.items + 2 * (this.#indexes[above] as number) + 1
      if (this.#store.words[at] !== entry) this.#store.publish(at, entry)
    }
  }

  #asItems(pages: readonly number[]): number[] {
    return pages.flatMap(page => [page, this.#firstOf(page)])
  }

  #firstOf(page: number): number {
    const isLeaf = this.#levelOf(page) === 0
    return this.#store.words[page + orderPage.items + (isLeaf ? 0 : 1)] as number
  }

  #levelOf(page: number): number {
    return (this.#store.words[page + orderPage.head] as number) >>> orderLevelShift
  }

  #countOf(page: number): number {
    return (this.#store.words[page + orderPage.head] as number) & orderCountMask
  }

  #itemsOf(page: number): number[] {
    const at = page + orderPage.items
    const wordCount = this.#countOf(page) * itemWordsAt(this.#levelOf(page))
    return Array.from(this.#store.words.subarray(at, at + wordCount))
  }

  /** @param similar a page of the same level that most of the items are from */
  #writePage(order: OrderIndex, level: number, items: readonly number[], similar?: number): number {
    const { words } = this.#store
    const itemWords = itemWordsAt(level)
    const count = items.length / itemWords
    const entryAt = (i: number) => items[itemWords * (i + 1) - 1] as number
    const known = this.#excerptsOf(similar)
    const added = items.filter((entry, i) => i % itemWords === itemWords - 1 && !known.has(entry))
    const knownSkipped = similar === undefined ? 0 : (words[similar + orderPage.skipped] as number)
    const isAlike =
      similar !== undefined &&
      added.every(entry => order.commonOctets(entry, this.#firstOf(similar)) >= knownSkipped)
    const skipped = isAlike ? knownSkipped : order.commonOctets(entryAt(0), entryAt(count - 1))
    const page = this.#store.allocate(orderPage.items + items.length + count)
    words[page + orderPage.head] = count | (level << orderLevelShift)
    words[page + orderPage.skipped] = skipped
    for (let i = 0; i < items.length; i += 1) {
      words[page + orderPage.items + i] = items[i] as number
    }
    const excerptsAt = page + orderPage.items + items.length
    for (let i = 0; i < count; i += 1) {
      const present = isAlike ? known.get(entryAt(i)) : undefined
      words[excerptsAt + i] = present ?? order.excerptOf(entryAt(i), skipped)
    }
    return page
  }

  /** The excerpts of a page's entries. */
  #excerptsOf(page: number | undefined): ReadonlyMap<number, number> {
    const known = new Map<number, number>()
    if (page === undefined) return known
    const { words } = this.#store
    const count = this.#countOf(page)
    const itemWords = itemWordsAt(this.#levelOf(page))
    const items = page + orderPage.items
    for (let i = 0; i < count; i += 1) {
      const entry = words[items + itemWords * (i + 1) - 1] as number
      known.set(entry, words[items + itemWords * count + i] as number)
    }
    return known
  }
}

function itemWordsAt(level: number): number {
  return level === 0 ? 1 : 2
}
