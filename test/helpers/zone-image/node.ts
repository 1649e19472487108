import type { Name } from '../../../src/dns/name.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'

const noRrsets: readonly Rrset[] = []

/** One name of a zone. An empty non-terminal is a node like any other, just without RRsets, so no lookup
 *  treats it specially. Flags that follow from the RRsets are kept by `node-flags.ts`. */
export class ZoneNode {
  /** Case as given with the newest data, or as in the descendant that made this name exist. */
  owner: Name
  /** Undefined only for the apex. */
  readonly parent: ZoneNode | undefined
  /** Ascending by type code. */
  rrsets: readonly Rrset[] = noRrsets
  /** Its RRSIG by the types that they cover. */
  signatures: ReadonlyMap<number, Rrset> = new Map()
  childCount = 0
  /** The child `*`, the source of synthesis for what is missing below this node (RFC 4592 section 2.1.2). */
  wildcardChild: ZoneNode | undefined
  /** Whether this node is a cut: NS below the apex. */
  isCut = false
  /** The DNAME RRset, if any: it renames everything below, but not this node itself. */
  dname: Rrset | undefined

  constructor(owner: Name, parent: ZoneNode | undefined) {
    this.owner = owner
    this.parent = parent
  }

  find(type: number): Rrset | undefined {
    for (const rrset of this.rrsets) if (rrset.type === type) return rrset
    return undefined
  }

  /** Adds the RRset or replaces the one of its type. */
  put(rrset: Rrset): void {
    const at = this.rrsets.findIndex(other => other.type >= rrset.type)
    if (at < 0) this.rrsets = [...this.rrsets, rrset]
    else if (this.rrsets[at]?.type === rrset.type) this.rrsets = this.rrsets.with(at, rrset)
    else this.rrsets = this.rrsets.toSpliced(at, 0, rrset)
  }

  /** Returns whether there was one. */
  remove(type: number): boolean {
    const kept = this.rrsets.filter(rrset => rrset.type !== type)
    if (kept.length === this.rrsets.length) return false
    this.rrsets = kept.length === 0 ? noRrsets : kept
    return true
  }
}
