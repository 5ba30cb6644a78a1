import type { Json } from '../openapi-schema.ts';
import { type Html, html, renderInline, renderJson, renderProse } from './html.ts';
import { renderField, renderFieldList, renderType } from './schema.ts';

/** Renders an operation, or a webhook, as a section of the page. */

export interface Media {
  schema?: Json;
  /** The schema that `schema` refers to, if its fields are shown here: an envelope around a resource. */
  envelope?: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Json;
  example: unknown;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

export function renderOperation(method: string, path: string, operation: Operation): Html {
  const { operationId, summary, description, security, deprecated } = operation;
  const isHook = !path.startsWith('/');
  return html`<section class="operation" id="${operationId}">
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p class="where"><span class="method ${method}">${method.toUpperCase()}</span> <code>${isHook ? 'your URL' : path}</code>
      ${!isHook && security.length === 0 && html`<span class="note">no key</span>`}${deprecated && html`<span class="note">deprecated</span>`}</p>
    ${description && renderProse(description)}
    ${renderParameters(operation.parameters ?? [])}
    ${operation.requestBody && renderBody(operation.requestBody)}
    ${!isHook && html`<h4>Example</h4><pre><code>${writeCurl(method, path, operation)}</code></pre>`}
    <h4>Responses</h4>
    ${Object.entries(operation.responses).map(([status, response]) => renderAnswer(status, response))}
  </section>`;
}

function renderParameters(parameters: readonly Parameter[]): Html[] {
  return ['path', 'query', 'header'].map((place) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const title = { path: 'Path parameters', query: 'Query', header: 'Headers' }[place];
    return html`${
      here.length > 0 &&
      html`<h4>${title}</h4><dl class="fields">${here.map(({ name, schema, required, description }) =>
        renderField(name, { ...schema, description: undefined }, required, description),
      )}</dl>`
    }`;
  });
}

function renderBody({ required, content }: NonNullable<Operation['requestBody']>): Html {
  return html`<h4>Body${!required && html` <span class="optional">optional</span>`}</h4>
    ${Object.entries(content).map(
      ([type, media]) =>
        html`<p class="type">${type}: ${renderType(media.schema ?? {})}</p>${renderFieldList(media.schema ?? {})}${renderExample(media)}`,
    )}`;
}

function renderAnswer(status: string, { description, headers = {}, content = {} }: Response): Html {
  const isGood = /^[23]/.test(status);
  const names = Object.keys(headers);
  return html`<details class="answer ${isGood ? 'good' : 'bad'}">
    <summary><span class="status">${status}</span> <span>${renderInline(description)}</span></summary>
    <div>${Object.entries(content).map(
      ([type, media]) =>
        html`<p class="type">${type}: ${renderType(media.schema ?? {})}</p>${isGood && renderFieldList(media.envelope ?? media.schema ?? {})}${renderExample(media)}`,
    )}${names.length > 0 && html`<p class="rules">Headers: ${names.map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`)}</p>`}</div>
  </details>`;
}

/** Renders the example. Of several refusals only the first, because they differ only in code and message. */
function renderExample({ example, examples }: Media): Html | false {
  const value = example ?? Object.values(examples ?? {})[0]?.value;
  if (value === undefined) return false;
  return typeof value === 'string' ? html`<pre><code>${value}</code></pre>` : renderJson(value);
}

/** Writes a command that can be pasted into a shell where URL and KEY are set. */
function writeCurl(
  method: string,
  path: string,
  { parameters = [], requestBody, security }: Operation,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example),
  );
  const media = requestBody?.content['application/json'];
  const lines = [
    `curl -sS ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$URL${filled}"`,
    security.length > 0 && '-H "Authorization: Bearer $KEY"',
    media && `-H 'Content-Type: application/json'`,
    media && `-d '${JSON.stringify(media.example).replaceAll("'", "'\\''")}'`,
  ];
  return lines.filter((line) => typeof line === 'string').join(' \\\n  ');
}
