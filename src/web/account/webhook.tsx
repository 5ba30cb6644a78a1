import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DeliveryDetail, WebhookDetail } from '../../doors/dashboard/wire.ts';
import type { WebhookSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { isOwner, me, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { fullTime } from '../format.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { CopyButton, PageBody } from '../parts.tsx';
import { go, pathTo } from '../router.tsx';
import { BackLink, EmptyCard, Facts, Loaded, Part, Rows } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { DeliveryRow } from './delivery.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookState } from './webhook-state.tsx';
import { TestSend } from './webhook-test.tsx';

const REFRESH_MS = 5_000;

export function WebhookPage({ inboxId }: { inboxId: string }) {
  const t = words.account.webhooks;
  const path = `webhooks/${encodeURIComponent(inboxId)}`;
  const whole = useData<WebhookDetail>(path, REFRESH_MS);
  return (
    <PageBody
      title={whole.data?.address ?? t.one}
      about={<BackLink to={pathTo('webhooks')}>{t.all}</BackLink>}
    >
      <Loaded of={whole}>
        {({ webhook, deliveries, address }) =>
          webhook ? (
            <>
              <Settings path={path} webhook={webhook} reload={whole.reload} />
              <TestSend path={path} />
              <History path={path} deliveries={deliveries} reload={whole.reload} />
            </>
          ) : (
            <EmptyCard icon="hook" title={t.noneAt(address)} />
          )
        }
      </Loaded>
    </PageBody>
  );
}

interface SettingsProps {
  path: string;
  webhook: WebhookView;
  reload: () => Promise<void>;
}

function Settings({ path, webhook, reload }: SettingsProps) {
  const t = words.account.webhooks;
  const [secret, setSecret] = useState<WebhookSecretView | null>(null);
  const [isChanging, setChanging] = useState(false);
  return (
    <Part
      title={t.one}
      actions={
        isOwner.value && (
          <>
            <button type="button" class="button button-quiet" onClick={() => setChanging(true)}>
              {t.changeUrl}
            </button>
            <WebhookActions
              path={path}
              of={webhook}
              onSecret={setSecret}
              onChanged={reload}
              onRemoved={() => go(pathTo('webhooks'))}
            />
          </>
        )
      }
    >
      <Facts of={listFacts(webhook)} />
      {isChanging && (
        <ChangeUrl
          path={path}
          url={webhook.url}
          onClose={() => setChanging(false)}
          onSecret={(changed) => {
            setChanging(false);
            setSecret(changed);
            void reload();
          }}
        />
      )}
      {secret && <WebhookSecret of={secret} onClose={() => setSecret(null)} />}
    </Part>
  );
}

function listFacts(webhook: WebhookView): [string, ComponentChildren][] {
  const t = words.account.webhooks;
  const facts: [string, ComponentChildren][] = [
    [
      'URL',
      <span class="flex items-center gap-1">
        <span class="min-w-0 break-all">{webhook.url}</span>
        <CopyButton text={webhook.url} what="URL" />
      </span>,
    ],
    [t.status, <WebhookState of={webhook} />],
  ];
  if (webhook.failing_since) facts.push([t.failingSince, fullTime(webhook.failing_since)]);
  if (webhook.previous_secret_until) facts.push([t.previousUntil, fullTime(webhook.previous_secret_until)]);
  return facts;
}

interface ChangeProps {
  path: string;
  url: string;
  onClose: () => void;
  onSecret: (webhook: WebhookSecretView) => void;
}

function ChangeUrl({ path, url: before, onClose, onSecret }: ChangeProps) {
  const t = words.account.webhooks;
  const [url, setUrl] = useTyped(path, before);
  const submit = useSubmit(async () => {
    onSecret(await send<WebhookSecretView>('PUT', path, { url }));
  });
  return (
    <FormDialog title={t.changeUrl} onClose={onClose} submit={submit} action={t.changeUrl}>
      <TextField
        label="URL"
        fault={submit.findFault('url')}
        hint={t.changeUrlHint}
        type="url"
        required
        autofocus
        value={url}
        onInput={setUrl}
      />
    </FormDialog>
  );
}

interface HistoryProps {
  path: string;
  deliveries: DeliveryDetail[];
  reload: () => Promise<void>;
}

function History({ path, deliveries, reload }: HistoryProps) {
  const t = words.account.deliveries;
  const { deliveries_shown, delivery_days } = me.value!.bounds;
  return (
    <Part title={t.title} about={t.about(deliveries_shown, delivery_days)}>
      {deliveries.length === 0 ? (
        <EmptyCard icon="send" title={t.empty}>
          {t.emptyBody}
        </EmptyCard>
      ) : (
        <Rows label={t.title}>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.event_id} path={path} of={delivery} reload={reload} />
          ))}
        </Rows>
      )}
    </Part>
  );
}
