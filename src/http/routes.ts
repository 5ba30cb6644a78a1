import { z } from 'zod';
import { fail } from '../core/failure.ts';
import { route } from './route.ts';

/** Routes that tell of the service itself; none needs a key. */

const Health = z.object({ status: z.string(), reason: z.string().optional() });

/** The page of each document: it is the same for everybody, and for as long as the program runs. */
const rendered = new WeakMap<object, Uint8Array>();

export const service_routes = [
  route({
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    summary: 'This document',
    tag: 'Service',
    auth: 'none',
    gives: { 200: z.record(z.string(), z.unknown()) },
    run: ({ service }) => ({ status: 200, json: service.document() }),
  }),
  route({
    name: 'getReference',
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    tag: 'Service',
    auth: 'none',
    content: ['text/html'],
    gives: { 200: null },
    async run({ service }) {
      const { referencePage, reference_headers } = await import('./reference/page.ts');
      const document = service.document() as object;
      const bytes = rendered.get(document) ?? Buffer.from(referencePage(document));
      rendered.set(document, bytes);
      return { status: 200, bytes, headers: reference_headers };
    },
  }),
  route({
    name: 'getHealth',
    method: 'GET',
    path: '/healthz',
    summary: 'The process is up',
    tag: 'Service',
    auth: 'none',
    gives: { 200: Health },
    run: () => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    name: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    summary:
      'What the appliance counts, as Prometheus text; for the networks of POSTERN_METRICS_NETWORKS only',
    tag: 'Service',
    auth: 'none',
    open: ({ settings }) => settings.metrics,
    content: ['text/plain'],
    gives: { 200: null },
    async run({ floor, isWatcher }) {
      if (!isWatcher()) return fail('not_found');
      const text = await (floor.meters.text() ?? fail('not_found'));
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { status: 200, bytes: Buffer.from(text), headers };
    },
  }),
  route({
    name: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    summary: 'Mail and requests can be taken; 503 with a reason when not',
    tag: 'Service',
    auth: 'none',
    gives: { 200: Health, 503: Health },
    run({ service }) {
      const reason = service.ready();
      return reason === null
        ? { status: 200, json: { status: 'ok' } }
        : { status: 503, json: { status: 'unavailable', reason }, headers: { 'retry-after': '5' } };
    },
  }),
];
