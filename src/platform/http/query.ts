import { z } from 'zod';
import { type FieldReasons, fail } from '../core/failure.ts';

/** A query parameter: how it is read, and how the OpenAPI document describes it. */
export interface Param<T> {
  /** For the document only; `read` decides what is valid. */
  schema: z.ZodType;
  about: string;
  /** Reads the value; `text` is null if the parameter is absent. Throws QueryRefused for an invalid one. */
  read(text: string | null): T;
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of every type; each is typed where it is made.
export type Params = Readonly<Record<string, Param<any>>>;
export type QueryOf<Q extends Params> = { [Name in keyof Q]: Q[Name] extends Param<infer T> ? T : never };

/** Thrown by a parameter's `read`. Its message is the reason in `fields`, under the parameter's name. */
export class QueryRefused extends Error {}

/** Returns the query of a request's URL. Not by `new URL`, which throws if the Host header is not a valid host. */
export function readSearch(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** Reads all parameters of a route. Of a repeated one, the first counts; unknown ones are ignored. */
export function readQuery(params: Params, url: string): Record<string, unknown> {
  const names = Object.keys(params);
  if (names.length === 0) return {};
  const given = readSearch(url);
  const values: Record<string, unknown> = {};
  const fields: FieldReasons = {};
  for (const name of names) {
    try {
      values[name] = params[name]?.read(given.get(name));
    } catch (thrown) {
      if (!(thrown instanceof QueryRefused)) throw thrown;
      fields[name] = [thrown.message];
    }
  }
  if (Object.keys(fields).length > 0) fail('validation_error', { fields });
  return values;
}

/** Defines `limit` of a list. It refuses anything but an integer in range (docs/decisions.md, Requests). */
export function defineLimitParam(max: number, standard: number): Param<number> {
  return {
    schema: z.int().min(1).max(max).default(standard),
    about: 'Rows per page.',
    read(text) {
      if (text === null) return standard;
      const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
      if (value < 1 || value > max) throw new QueryRefused(`must be an integer from 1 to ${max}`);
      return value;
    },
  };
}

/** `cursor` of a list. It is verified in page.ts, which knows the list that it must belong to. */
export const cursorParam: Param<string | null> = {
  schema: z.string(),
  about: 'The `next_cursor` of the previous page, with the same filters.',
  read: (text) => text,
};

/** Defines a text filter. A blank or overlong one is ignored (docs/api-v1.md, Messages). */
export function defineTextFilter(about: string, charsMax: number | null): Param<string | null> {
  return {
    // Without the bound, because a longer text is ignored, not refused.
    schema: z.string(),
    about: charsMax === null ? about : `${about} At most ${charsMax} characters; a longer one is ignored.`,
    read(text) {
      // No header contains a NUL, so a text of NULs counts as blank.
      const needle = text?.replaceAll('\0', '') ?? '';
      if (needle.trim() === '') return null;
      return charsMax !== null && [...needle].length > charsMax ? null : needle;
    },
  };
}

/** Defines a parameter with a few values; null if it is absent. */
export function defineChoiceParam<Choice extends string>(
  choices: readonly Choice[],
  about: string,
): Param<Choice | null> {
  return {
    schema: z.enum(choices),
    about,
    read(text) {
      if (text === null) return null;
      const choice = choices.find((one) => one === text);
      if (choice === undefined) throw new QueryRefused(`must be one of ${choices.join(', ')}`);
      return choice;
    },
  };
}
