import { type Tag, tagFilter, tagText } from '../records/tags.ts'

/** The tags of a zone, each a link to all zones that have it. */
export function Tags({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <>
      {tags.map(tag => (
        <a
          key={tag.name}
          class="tag"
          href={`/console/?filter=${encodeURIComponent(tagFilter(tag))}`}
        >
          {tagText(tag)}
        </a>
      ))}
    </>
  )
}
