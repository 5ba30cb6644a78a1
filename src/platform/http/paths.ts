/** Finds the routes of a path, and its parameters. */
import type { ServedRoute } from './route.ts';

/** Returns the parameters of a path. Null if it does not match the pattern. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return null;
    } else if (value === '') return null;
    else params[part.slice(1)] = decodeSegment(value);
  }
  return params;
}

/**
 * Returns the routes of a path: those with exactly this path or, without any, those whose pattern matches, the most specific first,
 * as a router would choose: `/a/b/:c` before `/a/:b/:c`.
 */
export function findRoutes(routes: readonly ServedRoute[], path: string): ServedRoute[] {
  const literal = routes.filter(({ route }) => route.path === path);
  if (literal.length > 0) return literal;
  const matching = routes.filter(({ route }) => matchPath(route.path, path));
  return matching.sort((a, b) => compareCodes(rankPattern(a.route.path), rankPattern(b.route.path)));
}

/** Returns a digit per segment: 0 for a word, 1 for a parameter. */
const rankPattern = (pattern: string) =>
  pattern
    .split('/')
    .map((part) => (part.startsWith(':') ? '1' : '0'))
    .join('');

const compareCodes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the path of a request's URL, still encoded. If a request names no host (HTTP/1.0), Bun's URL is only the target. */
export function readPath(url: string): string {
  const from = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  if (from < 0) return '/';
  const to = url.slice(from).search(/[?#]/);
  return to < 0 ? url.slice(from) : url.slice(from, from + to);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
