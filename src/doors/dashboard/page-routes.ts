import { readBasePath } from '../../platform/core/base-path.ts';
import { fail } from '../../platform/core/failure.ts';
import { readSearch } from '../../platform/http/query.ts';
import type { Answer } from '../../platform/http/reply.ts';
import type { Route } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { makeCaptureToken } from './capture-access.ts';
import { formatToken } from './cookie.ts';
import { loadPages, negotiate } from './pages.ts';
import { dashboardRoute } from './route.ts';
import type { DashboardServices } from './services.ts';
import type { Visitor } from './session.ts';

/* The pages: one document for every address, which its script reads, and assets named after their content. */

/** What our pages may do: run our own script, talk to us, frame mail. Nothing inline, nothing from elsewhere. */
export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Exactly the script's request (web/mail/list.ts), or the browser loads the list twice. */
const FIRST_LIST = 'messages?limit=100';

/**
 * Preloads the script's first requests. The browser sends them as soon as it has these headers, so the answers are there
 * when the script runs, which saves two round trips before the list is shown.
 */
function formatPreloads(base: string, visitor: Visitor | null, place: string | undefined): string {
  const paths = ['me'];
  if (visitor) paths.push('inboxes', 'unread');
  if (visitor && (place === undefined || place === 'all')) paths.push(FIRST_LIST);
  return paths
    .map((path) => `<${base}/dashboard/api/${path}>; rel=preload; as=fetch; crossorigin`)
    .join(', ');
}

async function page(
  { settings }: PlatformServices,
  request: Request,
  visitor: Visitor | null,
  place: string | undefined,
): Promise<Answer> {
  const base = readBasePath(settings);
  const index = (await loadPages()).openIndex(base);
  const { bytes, headers } = negotiate(index, request.headers.get('accept-encoding'));
  // Under a base path the host is not ours alone, and the header would bind its other programs, on every port.
  const isStrict = base === '' && (settings.http_tls || settings.base_url?.startsWith('https:'));
  return {
    status: 200,
    bytes,
    headers: {
      ...headers,
      'content-security-policy': PAGE_CSP,
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
      link: formatPreloads(base, visitor, place),
      ...(isStrict ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    },
  };
}

const html = ['text/html'];

/** Addresses that serve the page; web/router.tsx decides what a path means. */
const addresses = {
  dashboardPage: '/dashboard',
  dashboardPageSlash: '/dashboard/',
  dashboardPage1: '/dashboard/:place',
  dashboardPage2: '/dashboard/:place/:what',
  dashboardPage3: '/dashboard/:place/:what/:which',
  invitePage: '/invite/:token',
  setUpPage: '/setup/:token',
};

export const pageRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardDoor',
    method: 'GET',
    path: '/',
    who: 'anyone',
    content: html,
    run({ services, request }) {
      const key = readSearch(request.url).get('key');
      const headers = { location: '/dashboard' };
      if (key === null || !services.capture) return { status: 302, headers };
      // The address with the key is left at once, so that it is in no history and no Referer.
      if (makeCaptureToken(key) !== services.capture.dashboardToken) fail('authentication_required');
      const cookie = formatToken(services.capture.dashboardToken, request, services.settings);
      return { status: 302, headers: { ...headers, 'set-cookie': cookie } };
    },
  }),
  ...Object.entries(addresses).map(([name, path]) =>
    dashboardRoute({
      name,
      method: 'GET',
      path,
      who: 'anyone',
      content: html,
      run({ services, request, params, visitor }) {
        // A misspelt API route must not serve the page.
        if (params.place === 'api' || params.place === 'assets') fail('not_found');
        return page(services, request, visitor, params.place);
      },
    }),
  ),
  dashboardRoute({
    name: 'dashboardAsset',
    method: 'GET',
    path: '/dashboard/assets/:name',
    who: 'anyone',
    content: ['*/*'],
    async run({ request, params }) {
      const asset = (await loadPages()).assets.get(params.name ?? '') ?? fail('not_found');
      const { bytes, headers } = negotiate(asset, request.headers.get('accept-encoding'));
      return { status: 200, bytes, headers: { ...headers, 'cache-control': FOR_EVER } };
    },
  }),
];
