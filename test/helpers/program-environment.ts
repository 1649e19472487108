const { PATH, NODE_COMPILE_CACHE } = process.env

/** The part of the tests' environment that a program gets beside its own settings: the program path, and the cache of
 *  code compiled by earlier processes, which halves the time of a start. */
export const programEnvironment = { PATH, NODE_COMPILE_CACHE }
