/*
 * The path of POSTERN_BASE_URL (`/mail` in `https://home.example/mail`), with which a reverse proxy shares one host
 * among several programs. The server removes it before routing, so nothing else that reads a request knows of it, and
 * adds it to each Location header. Only links that a person or a browser follows contain it.
 *
 * Every path is also answered without it: a proxy may strip it, and probes and commands on this machine need not know
 * it.
 */

/** First segments of our own paths. A base path that begins with one of them could be mistaken for such a path. */
export const ownSegments: readonly string[] = [
  'api',
  'auth',
  'dashboard',
  'docs',
  'healthz',
  'invite',
  'mcp',
  'metrics',
  'readyz',
  'setup',
];

/**
 * Unreserved characters (RFC 3986 2.3), because the path is written into headers, cookies and pages without escapes.
 */
const SEGMENT = /^[A-Za-z0-9._~-]+$/;
const SEGMENTS_MAX = 8;
const PATH_CHARS_MAX = 200;

/** Checks the path of a base URL; throws a RangeError that says what is wrong with it. */
export function checkBasePath(path: string): void {
  if (path === '') return;
  const [first = '', ...rest] = path.slice(1).split('/');
  if (rest.length >= SEGMENTS_MAX || path.length > PATH_CHARS_MAX) {
    throw new RangeError(
      `must have a path of at most ${SEGMENTS_MAX} segments and ${PATH_CHARS_MAX} characters`,
    );
  }
  if (![first, ...rest].every((segment) => SEGMENT.test(segment))) {
    throw new RangeError(
      'must have a path of letters, digits and . _ ~ -, such as https://home.example/mail',
    );
  }
  if (ownSegments.includes(first)) {
    throw new RangeError(
      `must not have a path that begins with /${first}, which is one of Postern's own; try /mail/${first}`,
    );
  }
}

/** Returns the path of the base URL, such as `/mail`; empty if it has none. */
export function readBasePath({ base_url }: { base_url: string | null }): string {
  return base_url === null ? '' : new URL(base_url).pathname.replace(/\/$/, '');
}

/**
 * Removes the base path from a request's path. A path that is not under it is returned unchanged: `/mailx` is not under
 * `/mail`, and neither are `/Mail` and `//mail`.
 */
export function stripBasePath(path: string, base: string): string {
  if (base === '' || !path.startsWith(base)) return path;
  const rest = path.slice(base.length);
  if (rest === '') return '/';
  return rest.startsWith('/') ? rest : path;
}
