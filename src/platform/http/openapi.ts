import { z } from 'zod';
import { type ErrorCode, type ErrorRule, errors } from '../../rules/errors.ts';
import { contentExamples, errorFields, fieldExamples, parameterExamples } from '../../rules/examples.ts';
import { limits } from '../../rules/limits.ts';
import { makeExample } from './openapi-example.ts';
import { type AnswerHeader, answerHeaders } from './openapi-headers.ts';
import { type Json, writeJsonSchema } from './openapi-schema.ts';
import type { Route } from './route.ts';

/*
 * Generates the OpenAPI 3.1 document from the route values, so that it describes what is served. Schemas with an id
 * (`.meta({id})`) appear once, under components.
 */

/** A request that we send to an address that an account chose. */
export interface EventSpec {
  /** As in the header that names the event: `email.received`. */
  name: string;
  summary: string;
  description: string;
  headers: Readonly<Record<string, { about: string; example: string }>>;
  body: z.ZodType;
}

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

const DESCRIPTION = `Email inboxes for people, programs and agents: mail arrives by SMTP, Postern extracts the one-time code and the \
magic link, and you get it by long poll, stream, signed webhook or a plain read.

A success is \`{data}\`, a list \`{data, pagination}\`, an error \`{error: {code, message, fields, request_id}}\`: match \
on \`code\`. HEAD works wherever GET does; another method gets 405 \`method_not_allowed\` with \`Allow\`. Within v1 \
changes are additive only: tolerate fields and codes that you do not know. Removals are announced 90 days \
ahead, in the changelog and by the headers \`Deprecation\` and \`Sunset\`.`;

const tagMeanings: Readonly<Record<string, string>> = {
  Account: 'The caller, the limits of its plan, and its usage.',
  Inboxes: 'Addresses that receive mail.',
  Messages: 'Received mail, parsed.',
  Waiting: 'Get a message the moment it arrives.',
  'Public read': 'Inboxes that anyone may read, in summary.',
  Webhooks: 'New messages as signed POST requests to your own server.',
  'Agent registration': 'An account without sign-up.',
  Domains: 'Your own domains.',
  Outbound: 'Outbound email.',
  Verification: 'Whether an address accepts mail.',
  Service: 'The appliance itself.',
};

export function openApiDocument(routes: readonly Route[], events: readonly EventSpec[] = []): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, schemas) };
  }
  const webhooks = Object.fromEntries(
    events.map((event) => [event.name, { post: describeHook(event, schemas) }]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({
      name,
      description: tagMeanings[name] ?? `All of ${name.toLowerCase()}.`,
    })),
    paths,
    ...(events.length > 0 ? { webhooks } : {}),
    components: {
      schemas,
      headers: listUsedHeaders(paths),
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

/** The headers that some response uses. */
function listUsedHeaders(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

/** The codes with which a route may refuse: its own, and those that follow from its other fields. */
export function listCodes(route: Route): ErrorCode[] {
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

function describeOperation(route: Route, schemas: Json): Json {
  const parameters = [
    ...describePathParameters(route),
    ...describeQuery(route, schemas),
    ...describeHeaders(route),
  ];
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.tag],
    ...(route.deprecated ? { deprecated: true } : {}),
    security: route.auth === 'key' ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBody(route, route.body, schemas) } : {}),
    responses: { ...describeSuccesses(route, schemas), ...describeRefusals(route, schemas) },
  };
}

const pathMeanings: Record<string, string> = {
  index: "The attachment's number, from 0.",
  email: 'An address on the shared domain.',
};

function describePathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathMeanings[name] ?? describeId(route, name),
    schema: { type: 'string' },
    example: name === 'id' ? chooseIdExample(route) : parameterExamples[`path ${name}`],
  }));
}

/** Describes `id` by the collection before it in the path. */
function describeId({ path }: Route, name: string): string {
  const collection = new RegExp(`/([a-z_]+)/:${name}(/|$)`).exec(path)?.[1] ?? '';
  if (collection === 'inboxes') return 'The id of an inbox, or its address.';
  return `The id of ${collection === 'messages' ? 'a message' : `one of the ${collection.replaceAll('_', ' ')}`}.`;
}

function chooseIdExample({ path }: Route): unknown {
  const collection = /\/([a-z_]+)\/:id(\/|$)/.exec(path)?.[1] ?? '';
  const named: Record<string, string> = {
    messages: 'Message.id',
    domains: 'Domain.id',
    outbound_emails: 'OutboundEmail.id',
    outbound_allowlist: 'ApprovedRecipient.id',
  };
  return fieldExamples[named[collection] ?? 'Inbox.id'];
}

function describeQuery(route: Route, schemas: Json): Json[] {
  return Object.entries(route.query).map(([name, { schema: zod, about }]) => {
    const schema = writeJsonSchema(zod, 'input', schemas);
    const example = schema.default ?? parameterExamples[`query ${name}`];
    return { name, in: 'query', required: false, description: about, schema, example };
  });
}

function describeHeaders(route: Route): Json[] {
  if (!route.creates) return [];
  const name = 'Idempotency-Key';
  const description = 'A repeat with the same body within 24 h gets the first response again.';
  const schema = { type: 'string', minLength: route.creates === 'secret' ? 16 : 1, maxLength: 255 };
  const example = parameterExamples[`header ${name}`];
  return [{ name, in: 'header', required: false, description, schema, example }];
}

function requestBody(route: Route, body: z.ZodType, schemas: Json): Json {
  return {
    required: !route.body_optional,
    content: {
      'application/json': showSchema(body, 'input', schemas),
      ...(route.form ? { 'multipart/form-data': showSchema(route.form.schema, 'input', schemas) } : {}),
    },
  };
}

/** A schema with an example. */
function showSchema(zod: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const schema = writeJsonSchema(zod, io, schemas);
  return { schema, example: makeExample(schema, schemas, io) };
}

const successMeanings: Readonly<Record<string, string>> = {
  '201': 'Created',
  '206': 'The range that was requested',
  '304': 'Unchanged since the ETag in If-None-Match; no body',
};

function describeSuccesses(route: Route, schemas: Json): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(route.gives)) {
    const isJson = route.content.includes('application/json');
    const content = Object.fromEntries(
      route.content.map((type) => [
        type,
        type === 'application/json' && schema
          ? showSchema(schema, 'output', schemas)
          : {
              schema: schema ? writeJsonSchema(schema, 'output', schemas) : {},
              example: contentExamples[type] ?? contentExamples['*/*'],
            },
      ]),
    );
    const hasBody = status !== '304' && (schema !== null || !isJson);
    responses[status] = {
      description: successMeanings[status] ?? (hasBody ? 'OK' : 'Done; no body'),
      headers: listSuccessHeaders(route, Number(status)),
      ...(hasBody ? { content } : {}),
    };
  }
  return responses;
}

function describeRefusals(route: Route, schemas: Json): Json {
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

function describeHook({ name, summary, description, headers, body }: EventSpec, schemas: Json): Json {
  return {
    operationId: name.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    description,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(headers).map(([header, { about, example }]) => ({
      name: header,
      in: 'header',
      required: true,
      description: about,
      schema: { type: 'string' },
      example,
    })),
    requestBody: { required: true, content: { 'application/json': showSchema(body, 'output', schemas) } },
    responses: {
      '2XX': { description: 'Delivered. Answer within 10 s.' },
      '4XX': {
        description:
          'Permanent failure, except 408, 425 and 429, which are retried; 410 disables the webhook.',
      },
      '5XX': { description: 'Retried: 11 attempts over about two days.' },
    },
  };
}

const LIMIT_HEADERS: readonly AnswerHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** The headers of a successful response. */
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

/** The headers of a refusal. */
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
