/**
 * Has `fetch` ignore the proxy of HTTP_PROXY or HTTPS_PROXY, for what is on this machine. `false` is not in Bun's types,
 * but only it does that; `''` and null do not (Bun 1.4).
 */
export const WITHOUT_PROXY = { proxy: false } as unknown as BunFetchRequestInit;
