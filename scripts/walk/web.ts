/**
 * The web servers of .ci/walk's Internet: `web.ts ADDRESS RELEASE PATH CERTIFICATE`. The requested host decides: it serves
 * the folder of a release at PATH, or passes requests for Let's Encrypt on to Pebble.
 */
import { join } from 'node:path';

const [hostname, release, path, certificate] = process.argv.slice(2) as [string, string, string, string];
/** Pebble, whose directory has another path than Let's Encrypt's. */
const PEBBLE = 'https://127.0.0.1:14000';

Bun.serve({
  hostname,
  port: 443,
  tls: { cert: Bun.file(`${certificate}.pem`), key: Bun.file(`${certificate}.key`) },
  fetch: (request) =>
    new URL(request.url).hostname === 'releases.example.com' ? giveFile(request) : askPebble(request),
});

async function giveFile({ url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  const file = Bun.file(join(release, pathname.slice(path.length)));
  const isThere = pathname.startsWith(path) && (await file.exists());
  return isThere ? new Response(file) : new Response('not found', { status: 404 });
}

/** Passes a request on to Pebble, with its host: Pebble's links have that host, and signed requests must repeat them. */
async function askPebble(request: Request): Promise<Response> {
  const { pathname, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set('host', host);
  return fetch(PEBBLE + (pathname === '/directory' ? '/dir' : pathname), {
    method: request.method,
    headers,
    body: request.method === 'POST' ? await request.arrayBuffer() : undefined,
    tls: { rejectUnauthorized: false },
  });
}
