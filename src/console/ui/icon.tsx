/** The strokes of icons in a square of 16 by 16. */
const strokes = {
  zones:
    'M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5ZM2 8h12M8 1.75c-4.2 4-4.2 8.5 0 12.5c4.2-4 4.2-8.5 0-12.5Z',
  usage: 'M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  webhooks:
    'M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.2 8.8M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3L4.8 7.2',
  credentials:
    'M10.25 2a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5ZM7.5 8.4L2.5 13.5M4.4 11.6l1.8 1.8',
  live: 'M1.5 8.5h3l2-6l3.2 11l2-5h2.8',
  history: 'M8 4.5V8l2.3 1.6M2.2 5.6A6.2 6.2 0 1 1 1.8 8.6M2 2.6v3.1h3.1',
  accounts:
    'M6 7.5a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5ZM1.5 13.5c.3-2.6 2-4 4.5-4s4.2 1.4 4.5 4M11 2.9a2.4 2.4 0 0 1 0 4.2M12.3 9.9c1.3.6 2 1.8 2.2 3.6',
  server: 'M2.5 2.5h11v4.5h-11ZM2.5 9h11v4.5h-11ZM5 4.75h.01M5 11.25h.01',
  search: 'M7 2.25a4.75 4.75 0 1 0 0 9.5a4.75 4.75 0 0 0 0-9.5ZM10.5 10.5l3.5 3.5',
  edit: 'M10.8 2.7l2.5 2.5L5.5 13l-3.2.7l.7-3.2ZM9.3 4.2l2.5 2.5',
  locked: 'M3.5 7.25h9v6.25h-9ZM5.25 7V5a2.75 2.75 0 0 1 5.5 0v2',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6',
  person: 'M8 8a2.9 2.9 0 1 0 0-5.8A2.9 2.9 0 0 0 8 8ZM2.8 14c.4-2.6 2.2-4 5.2-4s4.8 1.4 5.2 4',
  close: 'M4 4l8 8M12 4l-8 8',
} as const

export type IconName = keyof typeof strokes

/** A small picture beside a text, or instead of a text that only screen readers get. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={strokes[name]} />
    </svg>
  )
}
