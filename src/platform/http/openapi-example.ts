import type { z } from 'zod';
import { alternativeFields, EXAMPLE_TIME, fieldExamples } from '../../rules/examples.ts';
import { type Io, type Json, writeJsonSchema } from './openapi-schema.ts';

/*
 * Builds an example for every schema from the examples of its fields (rules/examples.ts). Optional fields appear in
 * request examples, unless they can't be used together (alternativeFields), and not in response examples.
 */

/** Marks a field without an example. A test of the document fails on it. */
export const NO_EXAMPLE = 'no example';

/** Returns a schema with an example. */
export function showSchema(zod: z.ZodType, io: Io, schemas: Json): Json {
  const schema = writeJsonSchema(zod, io, schemas);
  return { schema, example: makeExample(schema, schemas, io) };
}

function makeExample(schema: Json, schemas: Json, io: Io): unknown {
  return makePart(schema, { schemas, io, owner: '', name: '' });
}

interface Place {
  schemas: Json;
  io: Io;
  /** The named schema that contains this place. */
  owner: string;
  /** The name of the field. */
  name: string;
}

function makePart(schema: Json, place: Place): unknown {
  const known = findExample(schema, place);
  if (known !== undefined) return known;
  if (typeof schema.$ref === 'string') {
    const owner = schema.$ref.split('/').at(-1) ?? '';
    return makePart(place.schemas[owner] as Json, { ...place, owner, name: '' });
  }
  if ('const' in schema) return schema.const;
  if (schema.format === 'date-time') return EXAMPLE_TIME;
  if (schema.properties) return makeObject(schema, place);
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches) return makePart(branches.find(({ type }) => type !== 'null') ?? {}, place);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'array') return [makePart((schema.items ?? {}) as Json, place)];
  const byFormat = formatExamples[String(schema.format)];
  return byFormat ?? typeExamples[String(schema.type)] ?? NO_EXAMPLE;
}

/** Examples by type. None for strings: a plain string needs an example of its own. */
const typeExamples: Readonly<Record<string, unknown>> = {
  object: {},
  boolean: false,
  integer: 1,
  number: 0.5,
};
const formatExamples: Readonly<Record<string, unknown>> = {
  date: EXAMPLE_TIME.slice(0, 10),
  email: 'ann@example.net',
  uri: 'https://app.example.com/',
  binary: 'ann@example.net\r\ninfo@example.org\r\n',
};

function findExample(schema: Json, { owner, name }: Place): unknown {
  if (name === '' || schema.$ref || schema.format === 'date-time') return undefined;
  const own = fieldExamples[`${owner}.${name}`];
  const found = own === undefined ? fieldExamples[name] : own;
  return fitsSchema(found, schema) ? found : undefined;
}

/** Fields with the same name can have different types: `inbox` is an object in one schema and an id in another. */
function fitsSchema(value: unknown, schema: Json): boolean {
  if (value === undefined) return false;
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches) return branches.some((branch) => !branch.$ref && fitsSchema(value, branch));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ('const' in schema) return schema.const === value;
  if (schema.properties && value !== null) return false;
  const types = [schema.type ?? 'any'].flat();
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.some(
    (type) => type === 'any' || type === kind || (type === 'integer' && Number.isInteger(value)),
  );
}

function makeObject(schema: Json, place: Place): Json {
  const required = (schema.required ?? []) as string[];
  const isShown = (name: string) => place.io === 'input' && !alternativeFields.has(`${place.owner}.${name}`);
  const shown = Object.entries(schema.properties as Record<string, Json>).filter(
    ([name]) => required.includes(name) || isShown(name),
  );
  return Object.fromEntries(shown.map(([name, inner]) => [name, makePart(inner, { ...place, name })]));
}
