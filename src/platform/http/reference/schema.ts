import type { Json } from '../openapi-schema.ts';
import { type Html, html, renderInline } from './html.ts';

/** Renders the fields of a schema as a list; those of an inner object are nested. */
export function renderFieldList(schema: Json): Html | false {
  const shape = findShape(schema);
  const properties = Object.entries((shape.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) return false;
  const required = (shape.required ?? []) as string[];
  return html`<dl class="fields">${properties.map(([name, inner]) => renderField(name, inner, required.includes(name)))}</dl>`;
}

export function renderField(name: string, schema: Json, isRequired: boolean, about?: string): Html {
  const text = about ?? (schema.description as string | undefined);
  const inner = readRefName(schema) ? false : renderFieldList(schema);
  return html`<div>
    <dt><code>${name}</code> <span class="type">${renderType(schema)}</span>${!isRequired && html` <span class="optional">optional</span>`}</dt>
    <dd>${text && html`<p>${renderInline(text)}</p>`}${renderRules(schema)}${inner}</dd>
  </div>`;
}

/** Returns the schema of the object whose fields to show: itself, the items of an array, or the branch that is not null. */
function findShape(schema: Json): Json {
  if (schema.items) return findShape(schema.items as Json);
  const branches = listBranches(schema);
  return branches ? findShape(branches.find(({ type }) => type !== 'null') ?? {}) : schema;
}

/** Returns the alternatives of a schema. Beside `properties` they only say which of those go together. */
function listBranches(schema: Json): Json[] | undefined {
  return schema.properties ? undefined : ((schema.anyOf ?? schema.oneOf) as Json[] | undefined);
}

function readRefName(schema: Json): string | undefined {
  const { $ref } = findShape(schema);
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}

/** Renders a type, such as `string | null` or `array of Message`; a named schema is a link. */
export function renderType(schema: Json): Html[] {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return [html`<a href="#schema-${name}">${name}</a>`];
  }
  const branches = listBranches(schema);
  if (branches)
    return branches.flatMap((branch, index) => [...(index > 0 ? [html` | `] : []), ...renderType(branch)]);
  if (schema.type === 'array') return [html`array of `, ...renderType((schema.items ?? {}) as Json)];
  if ('const' in schema) return [html`${JSON.stringify(schema.const)}`];
  const types = [schema.type ?? 'any'].flat().join(' | ');
  return [html`${types}${schema.format ? ` (${schema.format})` : ''}`];
}

/** Describes the constraints of JSON Schema in words. */
function renderRules(schema: Json): Html | false {
  const said = [
    Array.isArray(schema.enum) && `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`,
    schema.default !== undefined && `\`${JSON.stringify(schema.default)}\` when not given`,
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.minLength !== undefined && `at least ${schema.minLength} characters`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.minItems !== undefined && `at least ${schema.minItems}`,
    schema.maxItems !== undefined && `at most ${schema.maxItems}`,
    schema.maxProperties !== undefined && `at most ${schema.maxProperties} keys`,
  ].filter((rule) => rule !== false);
  return said.length > 0 && html`<p class="rules">${renderInline(said.join(', '))}</p>`;
}
