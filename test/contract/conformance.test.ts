/** The check of every response against the OpenAPI document finds mistakes. */
import { expect, test } from 'bun:test';
import { routes } from '../../src/app/routes.ts';
import type { GivenAnswer } from '../../src/platform/http/pipeline.ts';
import { AnswerWatch } from '../conformance.ts';

const health = routes.find(({ name }) => name === 'getHealth')!;
const account = routes.find(({ name }) => name === 'getAccount')!;

function given(changes: Partial<GivenAnswer> & { sent?: Record<string, string> } = {}): GivenAnswer {
  const { sent, ...rest } = changes;
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'req_1',
    ...sent,
  });
  return { route: health, status: 200, json: { status: 'ok' }, bytes: undefined, ms: 1, headers, ...rest };
}

function fault(answer: GivenAnswer): string {
  const watch = new AnswerWatch();
  watch.note(answer);
  try {
    watch.expectNoFault();
    return '';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test('an answer that matches the document has no faults', () => {
  expect(fault(given())).toBe('');
  const error = { error: { code: 'not_found', message: 'x', fields: {}, request_id: 'req_1' } };
  expect(fault(given({ route: null, status: 404, json: error }))).toBe('');
});

test('an undocumented status, a missing header, a wrong type, an extra field and a missing one are each found', () => {
  const cases: [Partial<GivenAnswer> & { sent?: Record<string, string> }, string][] = [
    [{ status: 418 }, 'answers 418'],
    [{ sent: { 'x-new': '1' } }, 'the header x-new is not documented'],
    [{ sent: { 'retry-after': '1' } }, 'the header retry-after is not documented'],
    [{ sent: { 'content-type': 'text/plain' } }, 'the media type text/plain is not documented'],
    [{ json: { status: 'ok', more: 1 } }, 'must NOT have additional properties'],
    [{ json: {} }, "must have required property 'status'"],
    [{ json: { status: 1 } }, 'must be string'],
    [{ route: account, json: {} }, 'x-ratelimit-limit is missing'],
    [{ route: null, status: 200, json: {} }, 'no route, and 200'],
    [{ route: null, status: 405, json: {} }, '405 has Allow'],
  ];
  for (const [changes, message] of cases) expect(fault(given(changes))).toContain(message);
  const headers = new Headers({ 'content-type': 'application/json' });
  expect(fault(given({ headers }))).toContain('x-request-id is missing');
});

test('a body that was read from the wire is checked too', () => {
  const watch = new AnswerWatch();
  expect(() => watch.expectNoFault('GET', '/healthz', { status: 200, json: { status: 'ok' } })).not.toThrow();
  expect(() => watch.expectNoFault('GET', '/healthz', { status: 200, json: { odd: 1 } })).toThrow(
    'as it was read',
  );
});
