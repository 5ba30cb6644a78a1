import type { z } from 'zod';
import { fieldExamples, parameterExamples } from '../../rules/examples.ts';
import { findKeyCharsMin } from './idempotency.ts';
import { showSchema } from './openapi-example.ts';
import { answerHeaders } from './openapi-headers.ts';
import { describeRefusals, describeSuccesses } from './openapi-responses.ts';
import { type Json, writeJsonSchema } from './openapi-schema.ts';
import type { Route } from './route.ts';

/*
 * Generates the OpenAPI 3.1 document from the route values, so that it describes what is served. Schemas with an id
 * (`.meta({id})`) appear once, under components.
 */

/** A request that Postern sends to a webhook. */
export interface EventSpec {
  /** The kind of the event, as in its header: `email.received`. */
  name: string;
  summary: string;
  description: string;
  headers: Readonly<Record<string, { about: string; example: string }>>;
  body: z.ZodType;
}

const DESCRIPTION = `Email inboxes for people, programs and agents: mail arrives by SMTP, Postern extracts the one-time code and the \
magic link, and you get it by long poll, stream, signed webhook or a plain read.

A success is \`{data}\`, a list \`{data, pagination}\`, an error \`{error: {code, message, fields, request_id}}\`: match \
on \`code\`. HEAD works wherever GET does; another method gets 405 \`method_not_allowed\` with \`Allow\`. What is no \
well-formed HTTP request is answered before there is an operation, without a body: 400 (such as an invalid \`Host\`), \
431 (URL and headers too long) or 505 (HTTP version).

Within v1 changes are additive only: tolerate fields and codes that you do not know. Removals are announced 90 days \
ahead, in the changelog and by the headers \`Deprecation\` and \`Sunset\`.`;

/** Differs from every route's tag: a generator that creates a class per tag would put both into one file. */
const HOOK_TAG = 'Webhook events';

const tagMeanings: Readonly<Record<string, string>> = {
  Account: 'The caller, the limits of its plan, and its usage.',
  Inboxes: 'Addresses that receive mail.',
  Messages: 'Received mail, parsed.',
  Waiting: 'Get a message the moment it arrives.',
  'Public read': 'Inboxes that anyone may read, in summary.',
  Webhooks: 'Events as signed POST requests to your own server.',
  Events: 'What happened, for clients that poll.',
  'Agent registration': 'An account without sign-up.',
  Domains: 'Your own domains.',
  'Outbound email': 'Email that you send, and who may receive it.',
  Threads: 'Conversations: what you received and sent.',
  Rules: 'What is done with mail as it arrives.',
  Verification: 'Whether an address accepts mail.',
  'SMTP faults': 'What SMTP refuses, delays or breaks off on purpose, in a trap.',
  Service: 'The appliance itself.',
  [HOOK_TAG]: 'What a webhook sends to your server.',
};

/** Generates the document. `base` is the path of the base URL; empty if it has none. */
export function openApiDocument(
  routes: readonly Route[],
  events: readonly EventSpec[] = [],
  base = '',
): Json {
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
    servers: [{ url: base || '/', description: 'This server' }],
    tags: [...new Set([...routes.map(({ tag }) => tag), ...events.map(() => HOOK_TAG)])].map((name) => ({
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

/** Lists the headers that at least one response uses. */
function listUsedHeaders(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
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
    ...(route.description === null ? {} : { description: route.description }),
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
    schema: name === 'index' ? { type: 'integer', minimum: 0 } : { type: 'string' },
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
  if (!route.creates && !route.honoursKeyFor) return [];
  const name = 'Idempotency-Key';
  const description =
    route.honoursKeyFor === 'message'
      ? 'With `mark_read`: a repeat within 24 h gets the message that an earlier request marked.'
      : 'A repeat with the same body within 24 h gets the first response again.';
  const schema = {
    type: 'string',
    minLength: findKeyCharsMin(route),
    maxLength: 255,
    pattern: '^[\\x20-\\x7e]+$',
  };
  const example = parameterExamples[`header ${name}`];
  return [{ name, in: 'header', required: false, description, schema, example }];
}

function requestBody(route: Route, body: z.ZodType, schemas: Json): Json {
  return {
    required: !route.bodyOptional,
    content: {
      'application/json': showSchema(body, 'input', schemas),
      ...(route.form ? { 'multipart/form-data': showSchema(route.form.schema, 'input', schemas) } : {}),
    },
  };
}

function describeHook({ name, summary, description, headers, body }: EventSpec, schemas: Json): Json {
  return {
    operationId: name.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    description,
    tags: [HOOK_TAG],
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
