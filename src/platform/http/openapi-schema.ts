import { z } from 'zod';

/** Schemas of zod as the OpenAPI document has them: JSON Schema 2020-12, each with an id once, under components. */

export type Json = Record<string, unknown>;

/** A schema in place; what has an id goes to `schemas` and is referred to. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json))
    schemas[name] = plain(definition, io);
  return plain(rest, io) as Json;
}

/**
 * As a reader wants it. References follow their targets, and an id is a place in this document, not a URL. Left out is
 * what only zod needs: its own pattern of a time (`format` says it), the range of whole numbers, and that an answer
 * has no other fields: clients must tolerate new ones (contract: Versioning).
 */
function plain(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((inner) => plain(inner, io));
  if (typeof value !== 'object' || value === null) return value;
  const leftOut = (name: string, inner: unknown) =>
    (name === 'id' && typeof inner === 'string') ||
    (name === 'pattern' && 'format' in value) ||
    name === 'propertyNames' ||
    Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER ||
    (name === 'additionalProperties' && inner === false && io === 'output');
  const entries = Object.entries(value)
    .filter(([name, inner]) => !leftOut(name, inner))
    .map(([name, inner]) =>
      name === '$ref' && typeof inner === 'string'
        ? [name, inner.replace('#/$defs/', '#/components/schemas/')]
        : [name, plain(inner, io)],
    );
  return Object.fromEntries(entries);
}
