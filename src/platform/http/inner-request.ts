import { findRoutes, matchPath, readPath } from './paths.ts';
import { type Service, serveMiss, serveRoute } from './pipeline.ts';
import type { Client, InnerRequest, ServedRoute } from './route.ts';

/** Headers that identify the caller. Every check runs again, so a key that was revoked in between is refused. */
const IDENTITY = ['authorization', 'host', 'origin', 'sec-fetch-site'];

/** Serves an inner request like any other, with the caller, the limits and the client of the outer one. */
export async function serveInner(
  service: Service,
  routes: readonly ServedRoute[],
  outer: { request: Request; client: Client },
  { method, path, body, signal }: InnerRequest,
): Promise<Response> {
  const headers = new Headers();
  for (const name of IDENTITY) {
    const value = outer.request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const text = body === undefined ? null : JSON.stringify(body);
  if (text !== null) {
    headers.set('content-type', 'application/json');
    headers.set('content-length', String(Buffer.byteLength(text)));
  }
  const request = new Request(`http://inner.invalid${path}`, { method, headers, body: text, signal });
  const here = findRoutes(routes, readPath(request.url));
  const served = here.find(({ route }) => route.method === method);
  const params = served && matchPath(served.route.path, readPath(request.url));
  // The connection belongs to the outer request, which settles it itself.
  const inside: Service = { ...service, trust() {}, settle() {} };
  return served && params ? serveRoute(inside, served, request, params, outer.client) : serveMiss(inside, []);
}
