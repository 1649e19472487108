import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin, UserConfig } from 'vite'

// Built by `npm run build`, and by `npm start` where the pages are missing or older than their sources.

const outDir = join(import.meta.dirname, '..', '..', 'dist', 'console')

/** Writes each file of the assets compressed beside it, for `src/api/console.ts` to serve. */
const compressed: Plugin = {
  name: 'compressed',
  closeBundle() {
    const folder = join(outDir, 'assets')
    for (const name of readdirSync(folder).filter(name => /\.(js|css|svg)$/.test(name))) {
      const path = join(folder, name)
      const file = readFileSync(path)
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: file.length }
      writeFileSync(`${path}.br`, brotliCompressSync(file, { params }))
      writeFileSync(`${path}.gz`, gzipSync(file, { level: constants.Z_BEST_COMPRESSION }))
    }
  },
}

const config: UserConfig = {
  root: import.meta.dirname,
  base: '/console/',
  plugins: [compressed],
  build: {
    outDir,
    emptyOutDir: true,
    // The content security policy of the page allows data URLs only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}

// Vite reads the default export.
// biome-ignore lint/style/noDefaultExport: that is where Vite looks for it
export default config
