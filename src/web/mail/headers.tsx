import { CopyButton } from '../parts.tsx';
import { Loaded } from '../rows.tsx';
import { words } from '../words/words.ts';
import { CopyValue } from './copy-value.tsx';
import { decodeWords, readHeaderFields } from './header-fields.ts';
import { useRaw } from './raw.ts';

/** Header fields that are listed; a hostile mail may have as many as fit. */
const FIELDS_MAX = 500;

export function Headers({ id }: { id: string }) {
  const raw = useRaw(id);
  return (
    <Loaded of={raw} rows={4}>
      {({ text }) => <Fields text={text} />}
    </Loaded>
  );
}

function Fields({ text }: { text: string }) {
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
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
              <CopyValue text={decodeWords(value)} what={name} />
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
