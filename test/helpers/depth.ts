/** The factor by which tests of random input, damage and crashes run more rounds than usual: `TEST_DEPTH=5 npm test -- nameserver`. */
export const depth = Number(process.env.TEST_DEPTH ?? 1)
