/**
 * Cross-origin requests (CORS, WHATWG Fetch 3.3) from the origins that the operator lists; others get no such header.
 */

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

/** The CORS headers for the answer to this request; null when its origin is not listed. */
export function readCorsHeaders(
  request: Request,
  allowed: readonly string[] | null,
): Record<string, string> | null {
  const origin = request.headers.get('origin');
  if (!allowed || origin === null || !allowed.includes(origin)) return null;
  // Cookies are never sent along: only a key identifies a caller from another origin.
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/** Whether it is a preflight: a browser asks first if it may send the request. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

export function answerPreflight(cors: Record<string, string>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
      'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
      'cache-control': 'no-store',
    },
  });
}
