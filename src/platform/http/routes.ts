import { createHash } from 'node:crypto';
import { z } from 'zod';
import { viewBytes } from '../core/bytes.ts';
import { fail } from '../core/failure.ts';
import { formatHostPort } from '../core/host-port.ts';
import { makeStream, sliceBytes } from '../core/streamed.ts';
import type { PlatformServices } from '../services.ts';
import { hasCurrent } from './etag.ts';
import { answerFixed, type FixedAnswer, fixAnswer } from './fixed-answer.ts';
import type { Answer } from './reply.ts';
import { route, type ServiceView } from './route.ts';

/** Routes about the service itself, without a key. */

const Health = z.object({ status: z.string(), reason: z.string().optional() }).meta({ id: 'Health' });

type Rendering = (document: object, url: string) => Promise<FixedAnswer>;

/** Returns a function that renders the service's document when it is first requested, and then keeps the result. */
function renderOnce(render: Rendering): (service: ServiceView, url?: string) => Promise<FixedAnswer> {
  // Keyed by the document, which belongs to one server and never changes.
  const rendered = new WeakMap<object, Map<string, Promise<FixedAnswer>>>();
  return (service, url = '') => {
    const document = service.document() as object;
    const ofDocument = rendered.get(document) ?? new Map<string, Promise<FixedAnswer>>();
    rendered.set(document, ofDocument);
    const made = ofDocument.get(url) ?? render(document, url);
    ofDocument.set(url, made);
    return made;
  };
}

const openApiJson = renderOnce((document) =>
  fixAnswer(Buffer.from(JSON.stringify(document)), { 'content-type': 'application/json; charset=utf-8' }),
);

const referenceHtml = renderOnce(async (document, url) => {
  const { renderReference, referenceHeaders } = await import('./reference/page.ts');
  return fixAnswer(Buffer.from(renderReference(document, url)), referenceHeaders);
});

/** Answers with the reference, whose examples have the URL at which it was requested. */
async function answerReference(
  service: ServiceView,
  { settings, listening, clock }: PlatformServices,
  request: Request,
): Promise<Answer> {
  const own = settings.base_url ?? listening.http ?? 'http://127.0.0.1:8025';
  const fixed = await referenceHtml(service, own);
  const asked = settings.base_url === null ? readOrigin(request, settings.http_tls) : null;
  if (asked === null || asked === own) return answerFixed(fixed, request);
  // A client can send any number of host names, so the page for one is neither compressed nor copied.
  const [before, after] = splitAt(viewBytes(fixed.bytes.identity), `URL=${own}`);
  const etag = `"${fixed.hash}-${createHash('sha256').update(asked).digest('base64url').slice(0, 22)}"`;
  if (hasCurrent(request, [etag])) return { status: 304, headers: { ...fixed.headers, etag } };
  const pieces = [before, Buffer.from(`URL=${asked}`), after].flatMap((part) => [...sliceBytes(part)]);
  return { status: 200, bytes: makeStream({ clock }, pieces.values()), headers: { ...fixed.headers, etag } };
}

/** Returns the bytes before the first `mark`, and those after it. */
function splitAt(bytes: Buffer, mark: string): [Buffer, Buffer] {
  const at = bytes.indexOf(mark);
  return [bytes.subarray(0, at), bytes.subarray(at + mark.length)];
}

/** Returns the origin that a request names. Null if its Host is not a valid host. */
function readOrigin(request: Request, isTls: boolean): string | null {
  const host = request.headers.get('host') ?? '';
  const isHost = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i.test(host);
  return isHost ? `${isTls ? 'https' : 'http'}://${host.toLowerCase()}` : null;
}

export const serviceRoutes = [
  route({
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'Get the OpenAPI document',
    tag: 'Service',
    auth: 'none',
    responses: { 200: z.record(z.string(), z.unknown()), 304: null },
    sends: { 200: ['ETag'], 304: ['ETag'] },
    run: async ({ service, request }) => answerFixed(await openApiJson(service), request),
  }),
  route({
    name: 'getReference',
    method: 'GET',
    path: '/docs',
    summary: 'Get the API reference',
    description: 'Returns the OpenAPI document as a page.',
    tag: 'Service',
    auth: 'none',
    content: ['text/html'],
    responses: { 200: null, 304: null },
    sends: { 200: ['ETag'], 304: ['ETag'] },
    run: ({ service, services, request }) => answerReference(service, services, request),
  }),
  route({
    name: 'getHealth',
    method: 'GET',
    path: '/healthz',
    summary: 'Check that the process is up',
    tag: 'Service',
    auth: 'none',
    responses: { 200: Health },
    run: () => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    name: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Get metrics',
    description: 'Returns metrics as Prometheus text. Only for clients in POSTERN_METRICS_NETWORKS.',
    tag: 'Service',
    auth: 'none',
    open: ({ settings }) => settings.metrics,
    content: ['text/plain'],
    responses: { 200: null },
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
    summary: 'Check that the server is ready',
    description: 'Returns 200 if mail and requests are accepted, else 503 with the reason.',
    tag: 'Service',
    auth: 'none',
    responses: { 200: Health, 503: Health },
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
