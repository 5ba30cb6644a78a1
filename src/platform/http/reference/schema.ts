import type { Json } from '../openapi-schema.ts';
import { type Html, html, inline } from './html.ts';

/** The fields of a schema as a list, with the fields of an inner object nested. */
export function fieldList(schema: Json): Html | false {
  const shape = shapeOf(schema);
  const properties = Object.entries((shape.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) return false;
  const required = (shape.required ?? []) as string[];
  return html`<dl class="fields">${properties.map(([name, inner]) => field(name, inner, required.includes(name)))}</dl>`;
}

export function field(name: string, schema: Json, isRequired: boolean, about?: string): Html {
  const text = about ?? (schema.description as string | undefined);
  const inner = nameOf(schema) ? false : fieldList(schema);
  return html`<div>
    <dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${!isRequired && html` <span class="optional">optional</span>`}</dt>
    <dd>${text && html`<p>${inline(text)}</p>`}${rules(schema)}${inner}</dd>
  </div>`;
}

/** The object whose fields a schema has: itself, the items of its array, or its branch that is not null. */
function shapeOf(schema: Json): Json {
  if (schema.items) return shapeOf(schema.items as Json);
  const branches = branchesOf(schema);
  return branches ? shapeOf(branches.find(({ type }) => type !== 'null') ?? {}) : schema;
}

/** The alternatives of a schema. Next to `properties` they only say which of these go together. */
function branchesOf(schema: Json): Json[] | undefined {
  return schema.properties ? undefined : ((schema.anyOf ?? schema.oneOf) as Json[] | undefined);
}

function nameOf(schema: Json): string | undefined {
  const { $ref } = shapeOf(schema);
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}

/** `string | null`, `array of Message`, with a link for a named schema. */
export function typeOf(schema: Json): Html[] {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return [html`<a href="#schema-${name}">${name}</a>`];
  }
  const branches = branchesOf(schema);
  if (branches)
    return branches.flatMap((branch, index) => [...(index > 0 ? [html` | `] : []), ...typeOf(branch)]);
  if (schema.type === 'array') return [html`array of `, ...typeOf((schema.items ?? {}) as Json)];
  if ('const' in schema) return [html`${JSON.stringify(schema.const)}`];
  const types = [schema.type ?? 'any'].flat().join(' | ');
  return [html`${types}${schema.format ? ` (${schema.format})` : ''}`];
}

/** Describes the constraints of JSON Schema in words. */
function rules(schema: Json): Html | false {
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
  return said.length > 0 && html`<p class="rules">${inline(said.join(', '))}</p>`;
}
