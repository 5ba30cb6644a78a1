/**
 * Checks every answer of an appliance under test against the OpenAPI document: status, headers, media type and
 * body. test/start.ts uses it, so the test that got a wrong answer fails.
 */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { api } from '../src/app/routes.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';
import type { GivenAnswer } from '../src/platform/http/pipeline.ts';
import { matchPath, pathOf, type Route } from '../src/platform/http/route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document, looked into as it is.
type Document = any;

/** The document, with objects closed: every field that we answer with must be described. */
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
  const made = Object.fromEntries(entries);
  const isObject = made.type === 'object' && made.properties && !('additionalProperties' in made);
  return isObject ? { ...made, additionalProperties: false } : made;
}

export interface Validators {
  /** What is wrong with a value; null when it fits. */
  fault(schema: object, value: unknown): string | null;
}

/**
 * Compiles a schema when it is first asked for; a schema is known by its text. Whether the schemas are themselves well
 * made is looked at where `wellMade` asks for it: once, since that takes each test file a tenth of a second.
 */
export function strictValidators(document = strictDocument(), wellMade = false): Validators {
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: false, validateFormats: true },
    ...(wellMade ? {} : { meta: false, validateSchema: false }),
  });
  addFormats(ajv);
  ajv.addSchema({ $id: 'openapi', components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  // The document's own schemas are asked for with each answer: by their text it is found once.
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

class Conformance {
  private readonly document = strictDocument();
  private readonly validators = strictValidators(this.document);

  /** What is wrong with an answer; an empty list when it is as the document says. */
  faults({ route, status, headers, json, bytes }: GivenAnswer): string[] {
    if (route === null) return this.missFaults(status, headers, json);
    // The dashboard’s routes are in no document.
    const operation = this.operation(route);
    if (!operation) return [];
    const response = operation.responses[String(status)];
    if (!response) return [`${route.name} answers ${status}, of which the document does not tell`];
    return [
      ...this.headerFaults(headers, response.headers ?? {}, route, status),
      ...this.bodyFaults(response.content, headers, json, bytes),
    ].map((fault) => `${route.name} ${status}: ${fault}`);
  }

  /** A body that was read from the wire, of an answer that went out piece by piece. */
  bodyFault(route: Route, status: number, json: unknown): string | null {
    const media = this.operation(route)?.responses[String(status)]?.content?.['application/json'];
    return media ? this.validators.fault(media.schema, json) : null;
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

  private headerFaults(headers: Headers, told: Document, route: Route, status: number): string[] {
    const names = Object.keys(told).map((name) => name.toLowerCase());
    const ours = [...headers.keys()].filter((name) =>
      /^(x-(?!content-type-options|accel-buffering)|retry-after|location|www-auth|deprecation|sunset)/.test(
        name,
      ),
    );
    const due = names.filter(
      (name) =>
        // A refusal before the key is known has no bucket; HEAD and a wait's headers come at times.
        !(name.startsWith('x-ratelimit') && (status >= 400 || route.auth !== 'key')) &&
        // An agent's registration may end without an inbox.
        !(name === 'location' && route.name === 'registerAgent') &&
        name !== 'content-disposition' &&
        // Some codes of a status have it, others not.
        !(name === 'retry-after' && status !== 429 && status !== 503),
    );
    const faults = [
      ...ours.filter((name) => !names.includes(name)).map((name) => `the header ${name} is not told`),
      ...due.filter((name) => !headers.has(name)).map((name) => `the header ${name} is missing`),
    ];
    for (const [name, { $ref }] of Object.entries(told) as [string, { $ref: string }][]) {
      const text = headers.get(name);
      const { schema } = this.document.components.headers[$ref.split('/').at(-1)!];
      if (text !== null && schema.type === 'integer' && !/^\d+$/.test(text))
        faults.push(`${name} is ${text}`);
    }
    return faults;
  }

  private bodyFaults(content: Document, headers: Headers, json: unknown, bytes: unknown): string[] {
    const type = headers.get('content-type')?.split(';')[0];
    if (!content) return json === undefined && bytes === undefined ? [] : ['a body, and none is told'];
    if (type === undefined) return ['no media type'];
    const media = content[type] ?? content['*/*'];
    if (!media) return [`the media type ${type} is not told`];
    if (json === undefined) return [];
    // As on the wire, where undefined fields are absent.
    const fault = this.validators.fault(media.schema, JSON.parse(JSON.stringify(json)));
    return fault === null ? [] : [fault];
  }
}

let shared: Conformance | undefined;

/** Made with the first appliance, and shared by all of the process: it takes a tenth of a second. */
function conformance(): Conformance {
  shared ??= new Conformance();
  return shared;
}

/** The answers of one appliance. */
export class AnswerWatch {
  private readonly faults: string[] = [];
  private readonly judge = conformance();

  readonly note = (given: GivenAnswer): void => void this.faults.push(...this.judge.faults(given));

  /**
   * Throws when an answer since the last time was not as the document says: so the test that got it fails. What came
   * piece by piece is judged as it was read.
   */
  expectNoFault(
    method = '',
    path = '',
    { status, json }: { status: number; json?: unknown } = { status: 0 },
  ): void {
    const route = api.routes.find((one) => one.method === method && matchPath(one.path, pathOf(path)));
    const fault = route && json !== undefined ? this.judge.bodyFault(route, status, json) : null;
    if (fault) this.faults.push(`${route?.name} ${status}, as it was read: ${fault}`);
    if (this.faults.length > 0)
      throw new Error(`not as the OpenAPI document says: ${this.faults.splice(0).join('; ')}`);
  }
}
