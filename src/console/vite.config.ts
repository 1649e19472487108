import type { UserConfig } from 'vite'

// Built by `npm run build`, and by `npm start` where the pages are missing or older than their sources.

const config: UserConfig = {
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The policy of the page allows no data addresses but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}

// Vite reads the default export.
// biome-ignore lint/style/noDefaultExport: that is where Vite looks for it
export default config
