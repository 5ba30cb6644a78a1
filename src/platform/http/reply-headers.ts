import type { Bucket } from '../core/window.ts';
import type { SunsetPlan } from './route.ts';

/** Returns the headers of every response. API responses belong to one caller at one moment, so no cache may keep them. */
export function makeCommonHeaders(requestId: string, deprecated: SunsetPlan | null = null): Headers {
  return new Headers({
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    // No page may frame a response. A route with its own policy overrides this.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    ...(deprecated && makeSunsetHeaders(deprecated)),
  });
}

/** Returns Deprecation (RFC 9745) and Sunset (RFC 8594). */
function makeSunsetHeaders({ announced, sunset }: SunsetPlan): Record<string, string> {
  return {
    deprecation: `@${Date.parse(announced) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
  };
}

/** Sets X-RateLimit-* from a bucket; null removes them. */
export function setLimits(headers: Headers, bucket: Bucket | null): void {
  if (bucket) {
    headers.set('x-ratelimit-limit', String(bucket.limit));
    headers.set('x-ratelimit-remaining', String(bucket.remaining));
    headers.set('x-ratelimit-reset', String(bucket.resetS));
  } else for (const name of ['limit', 'remaining', 'reset']) headers.delete(`x-ratelimit-${name}`);
}
