import type { DnsRecord } from '../../doors/dashboard/wire.ts';
import { Icon } from '../icons.tsx';
import { CopyButton } from '../parts.tsx';
import { Rows } from '../rows.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

/** The DNS records to publish, with copy buttons, and whether each is correct. */
export function DnsRecords({ of: records }: { of: DnsRecord[] }) {
  const t = words.account.records;
  return (
    <>
      <Rows label={t.title}>
        {records.map((record) => (
          <RecordRow key={record.purpose} of={record} />
        ))}
      </Rows>
      <div class="mt-3">
        <CopyButton
          text={records.map(({ zone_line }) => zone_line).join('\n')}
          what={t.zoneFile}
          label={t.copyZone}
        />
      </div>
    </>
  );
}

function describeState({ ok, is_needed, found }: DnsRecord) {
  const t = words.account.records;
  if (ok) return { icon: 'check', text: t.correct, colour: 'tag-accent' } as const;
  if (ok === null) return { icon: 'help', text: t.silent, colour: 'tag-warn' } as const;
  if (!is_needed) return { icon: 'help', text: t.recommended, colour: 'tag-warn' } as const;
  return { icon: 'warn', text: found.length > 0 ? t.incorrect : t.notFound, colour: 'tag-danger' } as const;
}

function RecordRow({ of: record }: { of: DnsRecord }) {
  const { purpose, type, host, value, found, error, note, ok } = record;
  const { text, colour, icon } = describeState(record);
  const t = words.account.records;
  const parts = [
    [t.name, host, t.nameOf(purpose)],
    [t.value, value, t.valueName(purpose)],
  ] as const;
  return (
    <li class="px-4 py-3">
      <p class="flex flex-wrap items-center gap-2">
        <span class="flex min-w-0 items-baseline gap-2">
          <span class="tag font-mono">{type}</span>
          <span class="font-medium">{t.purposes[purpose]}</span>
        </span>
        <span class={`tag ml-auto ${colour}`}>
          <Icon name={icon} class="size-3!" />
          {text}
        </span>
      </p>
      <dl class="mt-2 space-y-1">
        {parts.map(([name, part, what]) => (
          <div key={name} class="flex items-start gap-2">
            <dt class="w-14 flex-none pt-1.5 text-sm text-soft">{name}</dt>
            <dd class="min-w-0 flex-1 rounded-md bg-hover px-2.5 py-1.5 font-mono text-sm break-all">
              {part}
            </dd>
            <dd class="flex-none">
              <CopyButton text={part} what={what} />
            </dd>
          </div>
        ))}
      </dl>
      {note && <p class="mt-2 text-sm break-words text-soft">{note}</p>}
      {!ok && error && <p class="mt-2 text-sm break-words text-soft">{error}</p>}
      {!ok && found.length > 0 && (
        <p class="mt-1 text-sm text-soft">
          {fill(t.found, { records: <span class="font-mono break-all">{found.join(', ')}</span> })}
        </p>
      )}
    </li>
  );
}
