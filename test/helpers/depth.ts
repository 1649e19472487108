/** How many times as many rounds as usual tests of random input, damage and crashes go: `TEST_DEPTH=5 npm test -- nameserver`. */
export const depth = Number(process.env.TEST_DEPTH ?? 1)
