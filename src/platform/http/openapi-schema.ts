import { z } from 'zod';

/** Converts zod schemas to JSON Schema 2020-12 for the OpenAPI document. Each named schema is there once, under components. */

export type Json = Record<string, unknown>;

/** Whether a schema is for what clients send, or for what they get. */
export type Io = 'input' | 'output';

/**
 * Returns the JSON Schema of a zod schema. Every part with an id is added to `schemas` and referenced. `.meta({ documentedAs })`
 * names a schema to show instead, which admits the same values in a form that generated clients can use.
 */
export function writeJsonSchema(schema: z.ZodType, io: Io, schemas: Json): Json {
  const documented = (schema.meta()?.documentedAs ?? schema) as z.ZodType;
  const { $schema, $defs, ...rest } = z.toJSONSchema(documented, { io, unrepresentable: 'any' }) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json))
    schemas[name] = simplify(definition, io);
  return simplify(rest, io) as Json;
}

const INT32_MAX = 2 ** 31 - 1;

/** Adds a format to numbers. Without one, generated clients store a number in a `float`, and an integer in 32 bits. */
function addFormat(schema: Json): Json {
  if (schema.format !== undefined) return schema;
  if (schema.type === 'number') return { ...schema, format: 'double' };
  if (schema.type === 'integer' && Number(schema.maximum) > INT32_MAX) return { ...schema, format: 'int64' };
  return schema;
}

/**
 * Points references to the schemas under components, and removes what a reader doesn't need: zod's ids (they would be URLs), its
 * pattern for times (`format` says it), the range of safe integers, and `additionalProperties: false` in responses, because
 * clients must tolerate new fields (docs/api-v1.md, Versioning).
 */
function simplify(value: unknown, io: Io): unknown {
  if (Array.isArray(value)) return value.map((inner) => simplify(inner, io));
  if (typeof value !== 'object' || value === null) return value;
  const isLeftOut = (name: string, inner: unknown) =>
    (name === 'id' && typeof inner === 'string') ||
    (name === 'pattern' && 'format' in value) ||
    name === 'propertyNames' ||
    Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER ||
    (name === 'additionalProperties' && inner === false && io === 'output');
  const entries = Object.entries(value)
    .filter(([name, inner]) => !isLeftOut(name, inner))
    .map(([name, inner]) =>
      name === '$ref' && typeof inner === 'string'
        ? [name, inner.replace('#/$defs/', '#/components/schemas/')]
        : [name, simplify(inner, io)],
    );
  return addFormat(Object.fromEntries(entries));
}
