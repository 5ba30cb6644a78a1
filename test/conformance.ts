/**
 * Checks every answer of a server under test against the OpenAPI document: status, headers, media type and body. A server
 * from test/start.ts does so for every answer, and the test that got a wrong one fails.
 */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { api } from '../src/app/routes.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';
import { matchPath, readPath } from '../src/platform/http/paths.ts';
import type { GivenAnswer } from '../src/platform/http/pipeline.ts';
import type { Route } from '../src/platform/http/route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts have no types.
type Document = any;

/** Returns the document with closed objects, so that a field which it does not describe is an error. */
export function strictDocument(): Document {
  return strict(JSON.parse(JSON.stringify(openApiDocument(api.routes, api.events))));
}

function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'example' || name === 'examples' ? inner : strict(inner),
  ]);
  const closed = Object.fromEntries(entries);
  const isObject = closed.type === 'object' && closed.properties && !('additionalProperties' in closed);
  return isObject ? { ...closed, additionalProperties: false } : closed;
}

export interface Validators {
  /** Returns what is wrong with a value; null if it is valid. */
  fault(schema: object, value: unknown): string | null;
}

/**
 * Returns validators that compile each schema on first use. With `wellMade` they also validate the schemas themselves,
 * which costs a test file a tenth of a second.
 */
export function strictValidators(document = strictDocument(), wellMade = false): Validators {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: true,
    ...(wellMade ? {} : { meta: false, validateSchema: false }),
  });
  addFormats(ajv);
  ajv.addSchema({ $id: 'openapi', components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  // Checks by schema object: the document's own are used for every answer, and finding them by their text is slow.
  const known = new WeakMap<object, ValidateFunction>();
  const compile = (schema: object): ValidateFunction => {
    const text = JSON.stringify(strict(schema)).replaceAll('"#/components/', '"openapi#/components/');
    let check = compiled.get(text);
    if (!check) {
      check = ajv.compile(JSON.parse(text));
      compiled.set(text, check);
    }
    return check;
  };
  return {
    fault(schema, value) {
      let check = known.get(schema);
      if (!check) {
        check = compile(schema);
        known.set(schema, check);
      }
      return check(value) ? null : ajv.errorsText(check.errors);
    },
  };
}

/** The method, and the number of segments. */
const describeForm = (method: string, path: string) => `${method} ${path.split('/').length}`;

class Conformance {
  private readonly routes = Map.groupBy<string, Route>(api.routes, ({ method, path }) =>
    describeForm(method, path),
  );
  private readonly document = strictDocument();
  private readonly validators = strictValidators(this.document);

  /** Returns what is wrong with an answer; empty if it conforms to the document. */
  faults({ route, status, headers, json, bytes }: GivenAnswer): string[] {
    if (route === null) return this.missFaults(status, headers, json);
    // The document does not describe the dashboard's routes.
    const operation = this.operation(route);
    if (!operation) return [];
    const response = operation.responses[String(status)];
    if (!response) return [`${route.name} answers ${status}, which the document does not describe`];
    return [
      ...this.headerFaults(headers, response.headers ?? {}, route, status),
      ...this.bodyFaults(response.content, headers, json, bytes),
    ].map((fault) => `${route.name} ${status}: ${fault}`);
  }

  /** Checks a body that was read from the wire, because an answer sent in pieces has none before. */
  bodyFault(route: Route, status: number, json: unknown): string | null {
    const media = this.operation(route)?.responses[String(status)]?.content?.['application/json'];
    return media ? this.validators.fault(media.schema, json) : null;
  }

  /** Looks only among the routes of as many segments, because a test sends thousands of requests. */
  findRoute(method: string, path: string): Route | undefined {
    const candidates = this.routes.get(describeForm(method, path)) ?? [];
    return candidates.find((route) => matchPath(route.path, path));
  }

  private operation(route: Route): Document {
    const documented: readonly Route[] = api.routes;
    if (!documented.includes(route)) return undefined;
    return this.document.paths[route.path.replace(/:([a-z_]+)/g, '{$1}')]?.[route.method.toLowerCase()];
  }

  private missFaults(status: number, headers: Headers, json: unknown): string[] {
    const fault = this.validators.fault({ $ref: '#/components/schemas/Error' }, json);
    return [
      ...(fault === null ? [] : [`no route ${status}: ${fault}`]),
      ...([403, 404, 405, 500, 503].includes(status) ? [] : [`no route, and ${status}`]),
      ...(headers.has('allow') === (status === 405) ? [] : ['405 has Allow, and nothing else has']),
    ];
  }

  private headerFaults(headers: Headers, documented: Document, route: Route, status: number): string[] {
    const names = Object.keys(documented).map((name) => name.toLowerCase());
    const ours = [...headers.keys()].filter((name) =>
      /^(x-(?!content-type-options|accel-buffering)|retry-after|location|www-auth|deprecation|sunset)/.test(
        name,
      ),
    );
    const due = names.filter(
      (name) =>
        // An error before the key is known has no rate limit. HEAD and a wait's headers are optional.
        !(name.startsWith('x-ratelimit') && (status >= 400 || route.auth !== 'key')) &&
        // An agent may register without getting an inbox.
        !(name === 'location' && route.name === 'registerAgent') &&
        name !== 'content-disposition' &&
        // Other statuses have it only with some error codes.
        !(name === 'retry-after' && status !== 429 && status !== 503),
    );
    const faults = [
      ...ours.filter((name) => !names.includes(name)).map((name) => `the header ${name} is not documented`),
      ...due.filter((name) => !headers.has(name)).map((name) => `the header ${name} is missing`),
    ];
    for (const [name, { $ref }] of Object.entries(documented) as [string, { $ref: string }][]) {
      const text = headers.get(name);
      const { schema } = this.document.components.headers[$ref.split('/').at(-1)!];
      if (text !== null && schema.type === 'integer' && !/^\d+$/.test(text))
        faults.push(`${name} is ${text}`);
    }
    return faults;
  }

  private bodyFaults(content: Document, headers: Headers, json: unknown, bytes: unknown): string[] {
    const type = headers.get('content-type')?.split(';')[0];
    if (!content) return json === undefined && bytes === undefined ? [] : ['a body, and none is documented'];
    if (type === undefined) return ['no media type'];
    const media = content[type] ?? content['*/*'];
    if (!media) return [`the media type ${type} is not documented`];
    if (json === undefined) return [];
    // Through JSON, which leaves out undefined fields as the wire does.
    const fault = this.validators.fault(media.schema, JSON.parse(JSON.stringify(json)));
    return fault === null ? [] : [fault];
  }
}

let shared: Conformance | undefined;

/** Returns the one of this process: creating one takes a tenth of a second. */
function conformance(): Conformance {
  shared ??= new Conformance();
  return shared;
}

/** Collects what is wrong with the answers of one server. */
export class AnswerWatch {
  private readonly faults: string[] = [];
  private readonly judge = conformance();

  readonly note = (given: GivenAnswer): void => void this.faults.push(...this.judge.faults(given));

  /** Throws if an answer since the last call does not conform. An answer sent in pieces is checked as it was read. */
  expectNoFault(
    method = '',
    path = '',
    { status, json }: { status: number; json?: unknown } = { status: 0 },
  ): void {
    const route = json === undefined ? undefined : this.judge.findRoute(method, readPath(path));
    const fault = route ? this.judge.bodyFault(route, status, json) : null;
    if (fault) this.faults.push(`${route?.name} ${status}, as it was read: ${fault}`);
    if (this.faults.length > 0)
      throw new Error(`not as the OpenAPI document says: ${this.faults.splice(0).join('; ')}`);
  }
}
