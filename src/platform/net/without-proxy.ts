/**
 * An option with which `fetch` ignores HTTP_PROXY and HTTPS_PROXY, for requests to this machine. `false` is not in Bun's types, but
 * `''` and null don't have this effect (Bun 1.4).
 */
export const WITHOUT_PROXY = { proxy: false } as unknown as BunFetchRequestInit;
