import type { TrapView } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { CopyButton, PageBody } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';
import { Faults } from './faults.tsx';

/** How programs send their mail to the trap, and the faults that it answers with. */
export default function Trap() {
  const t = words.account.trap;
  const trap = useData<TrapView>('trap');
  return (
    <PageBody title={words.frame.places.trap} about={t.about}>
      <Loaded of={trap}>
        {(view) => (
          <>
            <Connection of={view} />
            <Part title={t.settings} about={view.needs_key ? t.replaceKey : undefined}>
              <Rows label={t.settings}>
                {view.mailers.map(({ name, settings }) => (
                  <Row key={name} actions={<CopyButton text={settings} what={t.settingsFor(name)} />}>
                    <p class="text-sm font-medium">{name === 'any' ? t.environment : name}</p>
                    <code class="mt-0.5 block font-mono text-sm break-words text-soft">{settings}</code>
                  </Row>
                ))}
              </Rows>
            </Part>
            <Faults stages={view.stages} />
          </>
        )}
      </Loaded>
    </PageBody>
  );
}

function Connection({ of: { servers, needs_key, starttls } }: { of: TrapView }) {
  const t = words.account.trap;
  const rows: [string, string][] = [
    ...servers.map(({ host, port, tls }): [string, string] => [
      tls ? t.serverTls : t.server,
      `${host}:${port}`,
    ]),
    [t.security, starttls ? 'STARTTLS' : t.none],
    [t.userName, needs_key ? t.anyShown : t.anyOrNone],
    [t.password, needs_key ? t.anyKey : t.anyOrNone],
  ];
  return (
    <Part title="SMTP">
      <dl class="card grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 px-4 py-3 text-sm">
        {rows.map(([name, value]) => (
          <>
            <dt class="text-soft">{name}</dt>
            <dd class="break-words">{value}</dd>
          </>
        ))}
      </dl>
    </Part>
  );
}
