import { z } from 'zod';
import { fail } from '../core/failure.ts';
import { formatHostPort } from '../core/host-port.ts';
import { answerFixed, type FixedAnswer, fixAnswer } from './fixed-answer.ts';
import { route, type ServiceView } from './route.ts';

/** Routes about the service itself; none needs a key. */

const Health = z.object({ status: z.string(), reason: z.string().optional() });

type Rendering = (document: object) => Promise<FixedAnswer>;

/** Renders the service's document on first use. */
function renderOnce(render: Rendering): (service: ServiceView) => Promise<FixedAnswer> {
  // Keyed by the document, which never changes.
  const rendered = new WeakMap<object, Promise<FixedAnswer>>();
  return (service) => {
    const document = service.document() as object;
    const made = rendered.get(document) ?? render(document);
    rendered.set(document, made);
    return made;
  };
}

const openApiJson = renderOnce((document) =>
  fixAnswer(Buffer.from(JSON.stringify(document)), { 'content-type': 'application/json; charset=utf-8' }),
);

const referenceHtml = renderOnce(async (document) => {
  const { renderReference: referencePage, referenceHeaders } = await import('./reference/page.ts');
  return fixAnswer(Buffer.from(referencePage(document)), referenceHeaders);
});

export const serviceRoutes = [
  route({
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'This document',
    tag: 'Service',
    auth: 'none',
    gives: { 200: z.record(z.string(), z.unknown()), 304: null },
    sends: { 200: ['ETag'], 304: ['ETag'] },
    run: async ({ service, request }) => answerFixed(await openApiJson(service), request),
  }),
  route({
    name: 'getReference',
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    tag: 'Service',
    auth: 'none',
    content: ['text/html'],
    gives: { 200: null, 304: null },
    sends: { 200: ['ETag'], 304: ['ETag'] },
    run: async ({ service, request }) => answerFixed(await referenceHtml(service), request),
  }),
  route({
    name: 'getHealth',
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process is up',
    tag: 'Service',
    auth: 'none',
    gives: { 200: Health },
    run: () => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    name: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics as Prometheus text; only for POSTERN_METRICS_NETWORKS',
    tag: 'Service',
    auth: 'none',
    open: ({ settings }) => settings.metrics,
    content: ['text/plain'],
    gives: { 200: null },
    async run({ services, isWatcher }) {
      if (!isWatcher()) return fail('not_found');
      const text = await (services.meters.text() ?? fail('not_found'));
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { status: 200, bytes: Buffer.from(text), headers };
    },
  }),
  route({
    name: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    summary: 'Whether mail and requests are accepted; 503 with a reason when not',
    tag: 'Service',
    auth: 'none',
    gives: { 200: Health, 503: Health },
    sends: { 200: ['X-SMTP-Address'], 503: ['X-SMTP-Address'] },
    run({ services, service, isWatcher }) {
      const reason = service.ready();
      const plain = services.listening.smtp.find(({ tls }) => !tls);
      // For `postern send`: where this server's SMTP is.
      const headers: Record<string, string> =
        plain && isWatcher() ? { 'x-smtp-address': formatHostPort(plain) } : {};
      return reason === null
        ? { status: 200, json: { status: 'ok' }, headers }
        : {
            status: 503,
            json: { status: 'unavailable', reason },
            headers: { ...headers, 'retry-after': '5' },
          };
    },
  }),
];
