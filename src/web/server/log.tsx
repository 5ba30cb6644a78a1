import { useState } from 'preact/hooks';
import type { LogLineView } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { fullTime } from '../format.ts';
import { Checkbox } from '../forms.tsx';
import { PageBody } from '../parts.tsx';
import { EmptyCard, Loaded, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';

const REFRESH_MS = 5_000;
const colours = { debug: '', info: '', warn: 'tag-warn', error: 'tag-danger' } as const;

export default function LogPage() {
  const t = words.server.log;
  const log = useData<LogLineView[]>('operator/log', REFRESH_MS);
  const [onlyLoud, setOnlyLoud] = useState(false);
  return (
    <PageBody
      title={words.frame.places.log}
      about={t.about}
      actions={
        <Checkbox class="py-1.5 text-sm" checked={onlyLoud} onChange={setOnlyLoud}>
          {t.loudOnly}
        </Checkbox>
      }
    >
      <Loaded of={log} rows={6}>
        {(lines) => <Lines of={onlyLoud ? lines.filter(({ level }) => level !== 'info') : lines} />}
      </Loaded>
    </PageBody>
  );
}

function Lines({ of: lines }: { of: LogLineView[] }) {
  if (lines.length === 0) {
    return (
      <EmptyCard icon="check" title={words.server.log.empty}>
        {words.server.log.emptyBody}
      </EmptyCard>
    );
  }
  return (
    <Rows label={words.frame.places.log}>
      {lines.map(({ seq, at, level, message, fields }) => (
        <li key={seq} class="px-4 py-2.5">
          <div class="flex flex-wrap items-baseline gap-x-2">
            <span class={`tag ${colours[level]}`}>{level}</span>
            <span class="min-w-0 flex-1 basis-56 break-words">{message}</span>
            <time class="text-xs text-faint tabular-nums" dateTime={at}>
              {fullTime(at)}
            </time>
          </div>
          {Object.keys(fields).length > 0 && (
            <p class="mt-1 font-mono text-xs text-soft wrap-anywhere">
              {Object.entries(fields)
                .map(([name, value]) => `${name}=${value}`)
                .join('  ')}
            </p>
          )}
        </li>
      ))}
    </Rows>
  );
}
