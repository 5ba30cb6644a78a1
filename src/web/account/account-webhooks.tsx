import { useState } from 'preact/hooks';
import type { DeliveryView, WebhookSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { type EventKind, eventKindNames } from '../../rules/events.ts';
import { ActionButton } from '../action-button.tsx';
import { isOwner, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { Checkbox, FormDialog, TextField } from '../forms.tsx';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { Empty } from '../parts.tsx';
import { EmptyCard, Loaded, Part, Row, Rows } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { sendAgain } from './delivery.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookState } from './webhook-state.tsx';

const PATH = 'account-webhooks';

/** Webhooks that get events of all inboxes, sent emails and domains of the account. */
export function AccountWebhooks() {
  const t = words.account.accountWebhooks;
  const list = useData<WebhookView[]>(`${PATH}?limit=100`);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<WebhookSecretView | null>(null);
  const { reload } = list;
  return (
    <Part
      title={t.title}
      about={t.about}
      actions={
        isOwner.value && (
          <button type="button" class="button" onClick={() => setAdding(true)}>
            {t.add}
          </button>
        )
      }
    >
      <Loaded of={list} rows={1}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <EmptyCard icon="hook" title={t.none} />
          ) : (
            <Rows label={t.title}>
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} of={webhook} reload={reload} onSecret={setSecret} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isAdding && (
        <AddDialog
          onClose={() => setAdding(false)}
          onCreated={(webhook) => {
            setAdding(false);
            setSecret(webhook);
            void reload();
          }}
        />
      )}
      {secret && <WebhookSecret of={secret} onClose={() => setSecret(null)} />}
    </Part>
  );
}

interface WebhookRowProps {
  of: WebhookView;
  reload: () => Promise<void>;
  onSecret: (webhook: WebhookSecretView) => void;
}

function WebhookRow({ of: webhook, reload, onSecret }: WebhookRowProps) {
  const path = `${PATH}/${webhook.id}`;
  const [isOpen, setOpen] = useState(false);
  return (
    <Row
      actions={
        <>
          <WebhookState of={webhook} />
          <button type="button" class="button button-quiet" onClick={() => setOpen(true)}>
            {words.account.deliveries.title}
          </button>
          {isOwner.value && (
            <WebhookActions
              path={path}
              of={webhook}
              onSecret={onSecret}
              onChanged={reload}
              onRemoved={() => void reload()}
            />
          )}
        </>
      }
    >
      <p class="font-medium break-all">{webhook.url}</p>
      <p class="mt-0.5 text-sm text-soft">{webhook.events.join(', ')}</p>
      {isOpen && <DeliveriesDialog path={path} onClose={() => setOpen(false)} />}
    </Row>
  );
}

interface DeliveriesProps {
  path: string;
  onClose: () => void;
}

function DeliveriesDialog({ path, onClose }: DeliveriesProps) {
  const t = words.account.deliveries;
  const list = usePages<DeliveryView>(`${path}/deliveries`);
  return (
    <Dialog title={t.title} wide onClose={onClose}>
      <LoadedRows of={list}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty icon="hook" title={t.empty} />
          ) : (
            <ul class="divide-y divide-line text-sm">
              {deliveries.map(({ event_id, event, status, attempts }) => (
                <li key={event_id} class="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                  <span class={`tag ${status === 'delivered' ? 'tag-accent' : 'tag-warn'}`}>
                    {t.states[status]}
                  </span>
                  <span class="font-medium">{event}</span>
                  <span class="min-w-0 flex-1 truncate font-mono text-xs text-soft">{event_id}</span>
                  <span class="text-soft">
                    {attempts.at(-1)?.response_status ?? attempts.at(-1)?.error ?? t.attempts(0)}
                  </span>
                  {isOwner.value && (
                    <ActionButton
                      class="button button-quiet"
                      onRun={() => sendAgain(path, event_id, list.reload)}
                    >
                      {t.resend}
                    </ActionButton>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </LoadedRows>
      <LoadMore of={list} />
    </Dialog>
  );
}

interface AddProps {
  onClose: () => void;
  onCreated: (webhook: WebhookSecretView) => void;
}

function AddDialog({ onClose, onCreated }: AddProps) {
  const t = words.account.accountWebhooks;
  const [url, setUrl] = useTyped(`${PATH}.url`, 'https://');
  const [events, setEvents] = useTyped<readonly EventKind[]>(`${PATH}.events`, ['email.received']);
  const submit = useSubmit(async () => {
    onCreated(await send<WebhookSecretView>('POST', PATH, { url, events }));
  });
  const toggle = (kind: EventKind, isOn: boolean) =>
    setEvents(isOn ? [...events, kind] : events.filter((other) => other !== kind));
  return (
    <FormDialog
      title={t.add}
      onClose={onClose}
      submit={submit}
      action={t.add}
      isIncomplete={events.length === 0}
    >
      <TextField
        label="URL"
        fault={submit.findFault('url')}
        hint={words.account.webhooks.urlHint}
        type="url"
        required
        autofocus
        value={url}
        onInput={setUrl}
      />
      <fieldset>
        <legend class="mb-1 text-sm font-medium">{t.events}</legend>
        <div class="grid gap-x-4 gap-y-1 sm:grid-cols-2">
          {eventKindNames.map((kind) => (
            <Checkbox
              key={kind}
              class="font-mono text-sm"
              checked={events.includes(kind)}
              onChange={(isOn) => toggle(kind, isOn)}
            >
              {kind}
            </Checkbox>
          ))}
        </div>
        {submit.findFault('events') && (
          <p class="mt-1 text-xs text-danger" role="alert">
            {submit.findFault('events')}
          </p>
        )}
      </fieldset>
    </FormDialog>
  );
}
