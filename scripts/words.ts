/**
 * Finds what is wrong with the texts of the pages in languages other than English: `<language>/<area>.<key>: <fault>`.
 * scripts/pages.ts builds nothing while there is any.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Language, languages } from '../src/web/words/locale.ts';

/** The areas of the texts, each of which is one file of a language. */
export const areas = readdirSync(join(import.meta.dir, '../src/web/words/en'))
  .filter((file) => file !== 'index.ts')
  .map((file) => basename(file, '.ts'));
type Leaf = string | ((...values: string[]) => string);

/** Values for placeholders. They are digits, because some texts count with them. */
const VALUES = ['71', '83', '97'];
/** Amounts for which languages have different forms. */
const AMOUNTS = ['0', '1', '2', '5', '1000000'];

/** Returns each text of an area by its key, such as `keys.created`. */
export async function readWords(language: Language, area: string): Promise<Map<string, Leaf>> {
  const found = new Map<string, Leaf>();
  const gather = (value: unknown, key: string) => {
    if (typeof value === 'string' || typeof value === 'function') found.set(key, value as Leaf);
    else
      for (const [name, inner] of Object.entries(value as object))
        gather(inner, key ? `${key}.${name}` : name);
  };
  gather((await import(`../src/web/words/${language}/${area}.ts`)).default, '');
  return found;
}

export async function findWordFaults(): Promise<string[]> {
  const faults = await Promise.all(
    (Object.keys(languages) as Language[]).flatMap((language) =>
      areas.map(async (area) => {
        const [model, own] = await Promise.all([readWords('en', area), readWords(language, area)]);
        const excess = [...own.keys()]
          .filter((key) => !model.has(key))
          .map((key) => `${key}: not in English`);
        const wrong = Array.from(model, ([key, text]) => {
          const fault = compare(text, own.get(key));
          return fault && `${key}: ${fault}`;
        });
        return [...excess, ...wrong].filter(Boolean).map((fault) => `${language}/${area}.${fault}`);
      }),
    ),
  );
  return faults.flat();
}

/** Returns what is wrong with a text, compared with the English one. */
export function compare(model: Leaf, own: Leaf | undefined): string | undefined {
  if (own === undefined) return 'missing';
  if (typeof own !== typeof model) return `is a ${typeof own}`;
  const [expected, given] = [makeText(model, VALUES), makeText(own, VALUES)];
  const lacks = placeholdersIn(expected).filter((each) => !given.includes(each));
  const adds = placeholdersIn(given).filter((each) => !expected.includes(each));
  if (lacks.length > 0) return `lacks ${lacks.join(', ')}`;
  if (adds.length > 0) return `has ${adds.join(', ')}, which English does not have`;
  for (const amount of AMOUNTS) {
    const text = makeText(own, [amount, amount, amount]);
    if (text.trim() === '' || /undefined|NaN|\[object/.test(text))
      return `is ${JSON.stringify(text)} for ${amount}`;
  }
  return undefined;
}

function makeText(text: Leaf, values: string[]): string {
  return typeof text === 'string' ? text : text(...values);
}

/** Returns the `{elements}` in a text, and those of VALUES that it contains. */
function placeholdersIn(text: string): string[] {
  return [...(text.match(/\{\w*\}/g) ?? []), ...VALUES.filter((value) => text.includes(value))];
}
