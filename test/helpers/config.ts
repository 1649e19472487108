import { type Config, loadConfig } from '../../src/config/config.ts'

/** The default settings, but for the given ones. */
export function configWith(settings: Partial<Config>): Config {
  return { ...loadConfig({ argv: [], readFile: () => '', environment: {} }), ...settings }
}
