import { useState } from 'preact/hooks';
import type { InboxWebhookView, InboxWithUnread } from '../../doors/dashboard/wire.ts';
import type { WebhookSecretView } from '../../features/webhooks/wire.ts';
import { isOwner, me, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { PageBody } from '../parts.tsx';
import { plansThatHave } from '../plans.ts';
import { go, Link, type PlaceProps, pathTo } from '../router.tsx';
import { AddButton, EmptyCard, Row, Rows } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { AccountWebhooks } from './account-webhooks.tsx';
import { WebhookPage } from './webhook.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookState } from './webhook-state.tsx';

/** As many as there are suggestions of inboxes, so that it is known which of those have a webhook. Both are newest first. */
const SHOWN = 100;

export default function Webhooks({ rest: [inboxId] }: PlaceProps) {
  return inboxId ? <WebhookPage key={inboxId} inboxId={inboxId} /> : <WebhookList />;
}

function WebhookList() {
  const t = words.account.webhooks;
  const list = usePages<InboxWebhookView>('webhooks', { filters: { limit: SHOWN } });
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<WebhookSecretView | null>(null);
  const isInPlan = (me.value?.plan.webhooks ?? 0) > 0;
  const mayAdd = isOwner.value && isInPlan;
  return (
    <PageBody
      title={words.frame.places.webhooks}
      about={t.about}
      actions={mayAdd && <AddButton onClick={() => setAdding(true)}>{t.add}</AddButton>}
    >
      <LoadedRows of={list}>{(webhooks) => <Listed of={webhooks} isInPlan={isInPlan} />}</LoadedRows>
      <LoadMore of={list} />
      {isInPlan && (
        <div class="mt-8">
          <AccountWebhooks />
        </div>
      )}
      {isAdding && (
        <AddWebhook
          taken={new Set(list.rows?.map(({ inbox_id }) => inbox_id))}
          onClose={() => setAdding(false)}
          onCreated={(webhook) => {
            setAdding(false);
            setCreated(webhook);
          }}
        />
      )}
      {created && (
        <WebhookSecret of={created} onClose={() => go(pathTo('webhooks', created.inbox_id ?? ''))} />
      )}
    </PageBody>
  );
}

function Listed({ of: webhooks, isInPlan }: { of: InboxWebhookView[]; isInPlan: boolean }) {
  const t = words.account.webhooks;
  if (webhooks.length === 0) {
    return (
      <EmptyCard icon="hook" title={isInPlan ? t.none : t.noneInPlan}>
        {isInPlan ? t.noneBody : plansThatHave('webhooks')}
      </EmptyCard>
    );
  }
  return (
    <Rows label={words.frame.places.webhooks}>
      {webhooks.map((webhook) => (
        <Row key={webhook.inbox_id} actions={<WebhookState of={webhook} />}>
          <Link to={pathTo('webhooks', webhook.inbox_id)} class="font-medium break-all hover:underline">
            {webhook.address}
          </Link>
          <p class="mt-0.5 text-sm break-all text-soft">{webhook.url}</p>
        </Row>
      ))}
    </Rows>
  );
}

interface AddProps {
  taken: Set<string>;
  onClose: () => void;
  onCreated: (webhook: WebhookSecretView) => void;
}

function AddWebhook({ taken, onClose, onCreated }: AddProps) {
  const t = words.account.webhooks;
  const [address, setAddress] = useTyped('webhooks.address', '');
  const [url, setUrl] = useTyped('webhooks.url', 'https://');
  const inboxes = useInboxes();
  const free = inboxes.filter(({ id }) => !taken.has(id));
  const submit = useSubmit(async () => {
    const path = `webhooks/${encodeURIComponent(address.trim())}`;
    onCreated(await send<WebhookSecretView>('PUT', path, { url }));
  });
  return (
    <FormDialog title={t.add} onClose={onClose} submit={submit} action={t.add}>
      <TextField
        label={t.inbox}
        hint={t.inboxHint}
        list="free-inboxes"
        required
        autofocus
        autocomplete="off"
        placeholder="you@…"
        value={address}
        onInput={setAddress}
      />
      <datalist id="free-inboxes">
        {free.map(({ id, address: each, label }) => (
          <option key={id} value={each}>
            {label}
          </option>
        ))}
      </datalist>
      <TextField
        label="URL"
        fault={submit.findFault('url')}
        hint={t.urlHint}
        type="url"
        required
        value={url}
        onInput={setUrl}
      />
    </FormDialog>
  );
}

/** Suggestions; any other address can be typed. */
function useInboxes(): Pick<InboxWithUnread, 'id' | 'address' | 'label'>[] {
  const { data } = useData<InboxWithUnread[]>(`inboxes?limit=${SHOWN}`);
  return data ?? [];
}
