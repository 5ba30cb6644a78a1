import { z } from 'zod';
import { type ErrorCode, type ErrorRule, errors } from '../rules/errors.ts';
import { limits } from '../rules/limits.ts';
import { ErrorEnvelope } from './envelope.ts';
import type { Route } from './route.ts';

/*
 * The OpenAPI 3.1 document, made from the route values, so that it says what is served. Schemas with an id
 * (`.meta({id})`) stand once, under components.
 */

type Json = Record<string, unknown>;

export function openApiDocument(routes: readonly Route[]): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: '1',
      description: 'Email inboxes for people, programs and agents. Within v1 changes are additive only.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer <API_KEY>`.',
        },
      },
    },
  };
}

/** The codes with which a route may refuse: its own, and those that follow from the rest of its value. */
export function codesOf(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['not_acceptable', 'server_error', ...route.fails];
  if (route.auth === 'key') codes.push('authentication_required', 'account_forbidden');
  if (route.open || route.path.includes('/:')) codes.push('not_found');
  if (route.body)
    codes.push('unsupported_media_type', 'payload_too_large', 'request_timeout', 'validation_error');
  if (Object.keys(route.query).length > 0 || route.creates) codes.push('validation_error');
  if (route.creates) codes.push('conflict');
  if (route.method !== 'GET') codes.push('storage_unavailable');
  codes.push(...[...route.limits, ...route.budgets].map((name) => limits[name].code));
  return [...new Set(codes)];
}

function operation(route: Route, schemas: Json): Json {
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route, schemas),
    ...headerParameters(route),
  ];
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.tag],
    security: route.auth === 'key' ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBody(route, route.body, schemas) } : {}),
    responses: { ...successes(route, schemas), ...refusals(route, schemas) },
  };
}

function pathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route, schemas: Json): Json[] {
  return Object.entries(route.query).map(([name, { schema, about }]) => ({
    name,
    in: 'query',
    required: false,
    description: about,
    schema: jsonSchema(schema, 'input', schemas),
  }));
}

function headerParameters(route: Route): Json[] {
  if (!route.creates) return [];
  const description = 'A repeat within 24 h with the same body gets the first answer again.';
  const schema = { type: 'string', minLength: route.creates === 'secret' ? 16 : 1, maxLength: 255 };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }];
}

function requestBody(route: Route, body: z.ZodType, schemas: Json): Json {
  return {
    required: !route.body_optional,
    content: {
      'application/json': { schema: jsonSchema(body, 'input', schemas) },
      ...(route.form
        ? { 'multipart/form-data': { schema: jsonSchema(route.form.schema, 'input', schemas) } }
        : {}),
    },
  };
}

function successes(route: Route, schemas: Json): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(route.gives)) {
    const content = Object.fromEntries(
      route.content.map((type) => [type, { schema: schema ? jsonSchema(schema, 'output', schemas) : {} }]),
    );
    const has_body = schema !== null || !route.content.includes('application/json');
    responses[status] = {
      description: status === '201' ? 'Created' : has_body ? 'OK' : 'Done; no body',
      headers: successHeaders(route, status),
      ...(has_body ? { content } : {}),
    };
  }
  return responses;
}

function refusals(route: Route, schemas: Json): Json {
  const by_status = Map.groupBy(codesOf(route), (code) => errors[code].status);
  const schema = jsonSchema(ErrorEnvelope, 'output', schemas);
  const responses: Json = {};
  for (const [status, codes] of [...by_status].sort(([left], [right]) => left - right)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${(errors[code] as ErrorRule).when}`).join('; '),
      headers: refusalHeaders(status),
      content: { 'application/json': { schema } },
    };
  }
  return responses;
}

const text_header = { schema: { type: 'string' } };
const integer_header = { schema: { type: 'integer' } };

function successHeaders(route: Route, status: string): Json {
  return {
    'X-Request-Id': text_header,
    ...(status === '201' ? { Location: text_header } : {}),
    ...(route.auth === 'key'
      ? {
          'X-RateLimit-Limit': integer_header,
          'X-RateLimit-Remaining': integer_header,
          'X-RateLimit-Reset': { ...integer_header, description: 'Unix seconds' },
        }
      : {}),
  };
}

function refusalHeaders(status: number): Json {
  return {
    'X-Request-Id': text_header,
    ...(status === 401 ? { 'WWW-Authenticate': text_header } : {}),
    ...(status === 429 || status === 503
      ? { 'Retry-After': { ...integer_header, description: 'Seconds' } }
      : {}),
  };
}

/** A schema in JSON Schema 2020-12; what has an id goes to `schemas` and is referred to. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): unknown {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) schemas[name] = moved(definition);
  return moved(rest);
}

/** References follow their targets; an id is a place in this document, not a URL. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name, inner]) => !(name === 'id' && typeof inner === 'string'))
    .map(([name, inner]) =>
      name === '$ref' && typeof inner === 'string'
        ? [name, inner.replace('#/$defs/', '#/components/schemas/')]
        : [name, moved(inner)],
    );
  return Object.fromEntries(entries);
}
