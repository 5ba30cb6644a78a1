/** Cross-origin requests (CORS, WHATWG Fetch 3.3) from the origins in POSTERN_CORS_ORIGINS. */
import { newId } from '../core/id.ts';

const EXPOSED = [
  'X-Wait-Since',
  'X-Wait-Arrived',
  'X-Wait-Reason',
  'X-Request-Id',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Mcp-Session-Id',
].join(', ');
const PREFLIGHT_MAX_AGE_S = 600;

/** Returns the CORS headers for the response to a request. Null if its origin is not listed. */
export function readCorsHeaders(
  request: Request,
  allowed: readonly string[] | null,
): Record<string, string> | null {
  const origin = request.headers.get('origin');
  if (!allowed || origin === null || !allowed.includes(origin)) return null;
  // Without Access-Control-Allow-Credentials: from another origin, only a key identifies the caller, never a cookie.
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/** Whether a request is a preflight, with which a browser asks whether it may send the actual one. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

export function answerPreflight(cors: Record<string, string>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      'x-request-id': newId('request'),
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
      'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
      'cache-control': 'no-store',
    },
  });
}
