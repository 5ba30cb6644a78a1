import { findRoutes, matchPath, readPath } from './paths.ts';
import { type Service, serveMiss, serveRoute } from './pipeline.ts';
import type { Client, InnerRequest, ServedRoute } from './route.ts';

/** Headers that say who calls. Every check runs again, so a key that was revoked in between is refused. */
const IDENTITY = ['authorization', 'host', 'origin', 'sec-fetch-site'];

/** Serves it like any other request, with the caller, the limits and the client address of the outer one. */
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
  // The connection is the outer request's, which reports its own end.
  const inside: Service = { ...service, trust() {}, settle() {} };
  return served && params ? serveRoute(inside, served, request, params, outer.client) : serveMiss(inside, []);
}
