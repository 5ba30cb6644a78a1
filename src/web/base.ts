/**
 * Where the server is on its host: `/mail` when a proxy serves it under that path (POSTERN_BASE_URL), else empty. The
 * pages read it only here, and every address that they request or show begins with it.
 */
export const base = document.documentElement.dataset.base ?? '';

/** The server as programs reach it: what `/api/v1` is appended to. */
export const serverUrl = location.origin + base;

/** The first page. */
export const home = `${base}/dashboard`;

/** The path of a route of the dashboard's API, given below /dashboard/api/. */
export function apiPath(path: string): string {
  return `${home}/api/${path}`;
}
