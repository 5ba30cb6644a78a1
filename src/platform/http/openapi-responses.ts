import { z } from 'zod';
import { type ErrorCode, type ErrorRule, errors } from '../../rules/errors.ts';
import { contentExamples, errorFields, fieldExamples } from '../../rules/examples.ts';
import { limits } from '../../rules/limits.ts';
import { showSchema } from './openapi-example.ts';
import type { AnswerHeader } from './openapi-headers.ts';
import { type Json, writeJsonSchema } from './openapi-schema.ts';
import type { Route } from './route.ts';

/** The responses of an operation, for the OpenAPI document. */

/** The body of every error (docs/api-v1.md, Errors). reply.ts fills it. */
export const ErrorEnvelope = z
  .object({
    error: z
      .object({
        code: z.string().describe('Match on this; the message may change.'),
        message: z.string(),
        fields: z
          .record(z.string(), z.array(z.string()))
          .describe('Field name to reasons; empty unless fields failed.'),
        request_id: z.string().describe('Repeats the X-Request-Id header.'),
      })
      .meta({ id: 'ErrorDetail' }),
  })
  .meta({ id: 'Error' });

/** Lists the codes with which a route may refuse: its own, and those that follow from its other fields. */
function listCodes(route: Route): ErrorCode[] {
  // Before routing, a request may be refused for its Host header, and a connection because there are too many.
  const codes: ErrorCode[] = ['account_forbidden', 'not_acceptable', 'server_error', ...route.fails];
  if (route.auth === 'key') codes.push('authentication_required');
  if (!(503 in route.responses)) codes.push('too_many_connections');
  if (route.open || route.path.includes('/:')) codes.push('not_found');
  if (route.body)
    codes.push('unsupported_media_type', 'payload_too_large', 'request_timeout', 'validation_error');
  if (Object.keys(route.query).length > 0) codes.push('validation_error');
  // For a malformed Idempotency-Key, and for one that was used with another body.
  if (route.creates || route.honoursKeyFor) codes.push('validation_error', 'conflict');
  if (route.method !== 'GET') codes.push('storage_unavailable');
  codes.push(...[...route.limits, ...route.budgets].map((name) => limits[name].code));
  return [...new Set(codes)];
}

const successMeanings: Readonly<Record<string, string>> = {
  '201': 'Created',
  '206': 'The range that was requested',
  '304': 'Unchanged since the ETag in If-None-Match; no body',
};

export function describeSuccesses(route: Route, schemas: Json): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(route.responses)) {
    const isJson = route.content.includes('application/json');
    const content = Object.fromEntries(
      route.content.map((type) => [
        type,
        type === 'application/json' && schema
          ? showSchema(schema, 'output', schemas)
          : {
              schema: schema ? writeJsonSchema(schema, 'output', schemas) : describeBytes(type),
              example: contentExamples[type] ?? contentExamples['*/*'],
            },
      ]),
    );
    const hasBody = status !== '304' && (schema !== null || !isJson);
    responses[status] = {
      description: successMeanings[status] ?? (hasBody ? 'OK' : 'Done; no body'),
      headers: listSuccessHeaders(route, Number(status)),
      ...(hasBody ? { content } : {}),
      ...(schema !== null ? listLinks(route) : {}),
    };
  }
  return responses;
}

/** Keeps OpenAPI 3.0's `format: binary`: without it, generated clients decode the bytes as JSON. */
function describeBytes(type: string): Json {
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

/** Describes the operations that use an id of this response. */
function listLinks({ links }: Route): Json {
  const described = Object.entries(links).map(([operationId, taken]) => {
    const parameters = Object.fromEntries(
      Object.entries(taken).map(([name, pointer]) => [name, `$response.body#/data/${pointer}`]),
    );
    return [operationId, { operationId, parameters }];
  });
  return described.length > 0 ? { links: Object.fromEntries(described) } : {};
}

export function describeRefusals(route: Route, schemas: Json): Json {
  const byStatus = Map.groupBy(listCodes(route), (code) => route.failsAs[code] ?? errors[code].status);
  const schema = writeJsonSchema(ErrorEnvelope, 'output', schemas);
  const responses: Json = {};
  for (const [status, codes] of [...byStatus].sort(([left], [right]) => left - right)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${(errors[code] as ErrorRule).when}`).join('; '),
      headers: listRefusalHeaders(route, status, codes),
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(codes.map((code) => [code, { value: makeErrorExample(code) }])),
        },
      },
    };
  }
  return responses;
}

function makeErrorExample(code: ErrorCode): Json {
  const { request_id } = fieldExamples;
  const fields = errorFields[code] ?? {};
  return { error: { code, message: errors[code].text, fields, request_id } };
}

const LIMIT_HEADERS: readonly AnswerHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** Lists the headers of a success. */
function listSuccessHeaders(route: Route, status: number): Json {
  return referHeaders([
    'X-Request-Id',
    ...(status === 201 ? (['Location'] as const) : []),
    ...(route.auth === 'key' ? LIMIT_HEADERS : []),
    ...(status === 503 ? (['Retry-After'] as const) : []),
    ...(route.sends[status] ?? []),
    ...listSunsetHeaders(route),
  ]);
}

/** Lists the headers of a refusal. */
function listRefusalHeaders(route: Route, status: number, codes: readonly ErrorCode[]): Json {
  const isPassing = status === 429 || status === 503 || codes.includes('outbound_quota_exceeded');
  return referHeaders([
    'X-Request-Id',
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(isPassing ? (['Retry-After'] as const) : []),
    // A key may be revoked while its request waits.
    ...(route.auth === 'key' && (status !== 401 || route.waits) && status !== 406 ? LIMIT_HEADERS : []),
    ...listSunsetHeaders(route),
  ]);
}

function listSunsetHeaders({ deprecated }: Route): AnswerHeader[] {
  return deprecated ? ['Deprecation', 'Sunset'] : [];
}

function referHeaders(names: readonly AnswerHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
