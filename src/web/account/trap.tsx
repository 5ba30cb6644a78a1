import type { TrapView } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { CopyButton, PageBody } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { Faults } from './faults.tsx';

/** How programs send their mail to the trap, and the faults that it answers with. */
export default function Trap() {
  const trap = useData<TrapView>('trap');
  return (
    <PageBody title="Trap" about="Mail for every address is accepted and kept here. Nothing is sent on.">
      <Loaded of={trap}>
        {(view) => (
          <>
            <Connection of={view} />
            <Part
              title="Settings to copy"
              about={view.needs_key ? 'Replace YOUR_API_KEY with an API key of this account.' : undefined}
            >
              <Rows label="Settings to copy">
                {view.mailers.map(({ name, settings }) => (
                  <Row key={name} actions={<CopyButton text={settings} what={`Settings for ${name}`} />}>
                    <p class="text-sm font-medium">{name === 'any' ? 'Environment' : name}</p>
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
  const rows: [string, string][] = [
    ...servers.map(({ host, port, tls }): [string, string] => [
      tls ? 'Server (TLS)' : 'Server',
      `${host}:${port}`,
    ]),
    ['Security', starttls ? 'STARTTLS' : 'None'],
    ['User name', needs_key ? 'Any; it is shown with the mail' : 'Any, or none'],
    ['Password', needs_key ? 'An API key of this account' : 'Any, or none'],
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
