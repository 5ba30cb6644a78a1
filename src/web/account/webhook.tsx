import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DeliveryDetail, WebhookDetail } from '../../doors/dashboard/wire.ts';
import type { NewSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask, Dialog } from '../dialog.tsx';
import { fullTime } from '../format.ts';
import { CopyButton, Empty, Field, PageBody } from '../parts.tsx';
import { go, Link, pathTo } from '../router.tsx';
import { Facts, Fault, Loaded, Part, Rows } from '../rows.tsx';
import { SecretDialog } from '../secret.tsx';
import { DeliveryRow } from './delivery.tsx';
import { HookState } from './webhook-state.tsx';
import { TestSend } from './webhook-test.tsx';

const REFRESH_MS = 5_000;

export function WebhookPage({ inbox_id }: { inbox_id: string }) {
  const path = `webhooks/${encodeURIComponent(inbox_id)}`;
  const whole = useData<WebhookDetail>(path, REFRESH_MS);
  return (
    <PageBody
      title={whole.data?.address ?? 'Webhook'}
      about={
        <Link to={pathTo('webhooks')} class="text-accent underline-offset-2 hover:underline">
          All webhooks
        </Link>
      }
    >
      <Loaded of={whole}>
        {({ webhook, deliveries, address }) =>
          webhook ? (
            <>
              <Settings path={path} hook={webhook} reload={whole.reload} />
              <TestSend path={path} />
              <History deliveries={deliveries} reload={whole.reload} />
            </>
          ) : (
            <div class="card">
              <Empty icon="hook" title={`${address} has no webhook`} />
            </div>
          )
        }
      </Loaded>
    </PageBody>
  );
}

interface SettingsProps {
  path: string;
  hook: WebhookView;
  reload: () => Promise<void>;
}

function Settings({ path, hook, reload }: SettingsProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isChanging, setChanging] = useState(false);
  return (
    <Part
      title="Webhook"
      actions={
        me.value?.role === 'owner' && (
          <>
            <button type="button" class="button" onClick={() => setChanging(true)}>
              Change URL
            </button>
            <Actions path={path} hook={hook} reload={reload} setSecret={setSecret} />
          </>
        )
      }
    >
      <Facts of={factsOf(hook)} />
      {isChanging && (
        <ChangeUrl
          path={path}
          url={hook.url}
          onClose={() => setChanging(false)}
          onMade={(made) => {
            setChanging(false);
            setSecret(made);
            void reload();
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title="New signing secret"
          secret={secret}
          what="Signing secret"
          onClose={() => setSecret(null)}
        >
          Copy this secret now. You won’t see it again. The previous one stays valid for{' '}
          {me.value?.bounds.previous_secret_hours} hours.
        </SecretDialog>
      )}
    </Part>
  );
}

function factsOf(hook: WebhookView): [string, ComponentChildren][] {
  const facts: [string, ComponentChildren][] = [
    [
      'URL',
      <span class="flex items-center gap-1">
        <span class="min-w-0 break-all">{hook.url}</span>
        <CopyButton text={hook.url} what="URL" />
      </span>,
    ],
    ['Status', <HookState of={hook} />],
  ];
  if (hook.failing_since) facts.push(['Failing since', fullTime(hook.failing_since)]);
  if (hook.previous_secret_until)
    facts.push(['Previous secret valid until', fullTime(hook.previous_secret_until)]);
  return facts;
}

function Actions({ path, hook, reload, setSecret }: SettingsProps & { setSecret: (secret: string) => void }) {
  const change = async (run: () => Promise<unknown>) => {
    if (await attempt(run)) await reload();
  };
  const rotate = async () => {
    const body = `Deliveries are signed with a new secret. The previous one stays valid for ${me.value?.bounds.previous_secret_hours} hours.`;
    if (!(await ask({ title: 'Rotate the signing secret?', body, action: 'Rotate' }))) return;
    await change(async () => {
      setSecret((await call<{ data: NewSecretView }>('POST', `${path}/rotate`)).data.secret);
    });
  };
  const remove = async () => {
    const body = 'Pending deliveries are dropped. The history is kept.';
    const sure = await ask({ title: 'Remove this webhook?', body, action: 'Remove', isDanger: true });
    if (sure && (await attempt(() => call('DELETE', path)))) go(pathTo('webhooks'));
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void rotate()}>
        Rotate secret
      </button>
      <button
        type="button"
        class="button"
        onClick={() => void change(() => call('PATCH', path, { enabled: !hook.enabled }))}
      >
        {hook.enabled ? 'Turn off' : 'Turn on'}
      </button>
      <button type="button" class="button" onClick={() => void remove()}>
        Remove
      </button>
    </>
  );
}

interface ChangeProps {
  path: string;
  url: string;
  onClose: () => void;
  onMade: (secret: string) => void;
}

function ChangeUrl({ path, url: before, onClose, onMade }: ChangeProps) {
  const [url, setUrl] = useState(before);
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    onMade((await call<{ data: NewSecretView }>('POST', path, { url })).data.secret);
  });
  return (
    <Dialog title="Change URL" onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <Field label="URL" fault={faultOf('url')} hint="A new URL gets a new signing secret.">
          <input
            class="field"
            type="url"
            required
            autofocus
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </Field>
        <div class="flex justify-end gap-2">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={isBusy}>
            Change URL
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function History({ deliveries, reload }: { deliveries: DeliveryDetail[]; reload: () => Promise<void> }) {
  return (
    <Part
      title="Deliveries"
      about={`The last ${me.value?.bounds.deliveries_shown} deliveries, kept for ${me.value?.bounds.delivery_days} days.`}
    >
      {deliveries.length === 0 ? (
        <div class="card">
          <Empty icon="send" title="No deliveries yet">
            Send a message to the inbox.
          </Empty>
        </div>
      ) : (
        <Rows label="Deliveries">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.event_id} of={delivery} reload={reload} />
          ))}
        </Rows>
      )}
    </Part>
  );
}
