import { CopyButton, Skeleton } from '../parts.tsx';
import { words } from '../words/words.ts';
import { CopyValue } from './copy-value.tsx';
import { readHeaderFields } from './header-fields.ts';
import { useRaw } from './raw.ts';

/** Header fields that are listed; a hostile mail may have as many as fit. */
const FIELDS_MAX = 500;

export function Headers({ id }: { id: string }) {
  const raw = useRaw(id);
  if (!raw) return <Skeleton rows={4} />;
  const head = raw.text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const fields = readHeaderFields(head);
  return (
    <>
      <div class="mb-3 flex justify-end">
        <CopyButton text={head} what={words.reading.tabs.headers} label={words.source.copyAll} />
      </div>
      <dl class="card divide-y divide-line">
        {fields.slice(0, FIELDS_MAX).map(([name, value], index) => (
          <div key={`${index}${name}:${value}`} class="grid gap-x-4 px-4 py-2 sm:grid-cols-[12rem_1fr]">
            <dt class="text-sm font-medium break-all">
              <bdi>{name}</bdi>
            </dt>
            <dd class="font-mono text-xs leading-[1.125rem] text-soft">
              <CopyValue text={decoded(value)} what={name} />
            </dd>
          </div>
        ))}
      </dl>
      {fields.length > FIELDS_MAX && (
        <p class="mt-3 text-sm text-soft">{words.source.headersCut(FIELDS_MAX)}</p>
      )}
    </>
  );
}

/** Decodes encoded words (RFC 2047); anything else, or an unknown charset, is left unchanged. */
function decoded(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(
      /=\?([\w-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=/gi,
      (word, charset: string, way: string, text: string) => {
        try {
          const binary = way.toLowerCase() === 'b' ? atob(text) : quoted(text);
          const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
          return new TextDecoder(charset).decode(bytes);
        } catch {
          return word;
        }
      },
    );
}

function quoted(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
