const { PATH, NODE_COMPILE_CACHE } = process.env

/** What a program gets of the environment of the tests beside settings of its own: where programs are, and the code that
 *  others have compiled, which halves the time of a start. */
export const programEnvironment = { PATH, NODE_COMPILE_CACHE }
