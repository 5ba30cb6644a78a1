import type { WebhookSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, me, send } from '../api.ts';
import { attempt } from '../data.ts';
import { ask } from '../dialog.tsx';
import { words } from '../words/words.ts';

interface WebhookActionsProps {
  /** Its path under the dashboard's routes. */
  path: string;
  of: WebhookView;
  onSecret: (created: WebhookSecretView) => void;
  onChanged: () => Promise<void>;
  onRemoved: () => void;
}

/** What an owner may do with a webhook, of an inbox or of the account. */
export function WebhookActions({ path, of: webhook, onSecret, onChanged, onRemoved }: WebhookActionsProps) {
  const t = words.account.webhooks;
  /** Says which of several webhooks the question is about. */
  const named = (text: string) => (
    <>
      <p class="mb-2 break-all text-ink">{webhook.url}</p>
      {text}
    </>
  );
  const rotate = async () => {
    const body = named(t.rotateBody(me.value!.bounds.previous_secret_hours));
    if (!(await ask({ title: t.rotateTitle, body, action: t.rotate }))) return;
    const isRotated = await attempt(async () =>
      onSecret(await send<WebhookSecretView>('POST', `${path}/rotate`)),
    );
    if (isRotated) await onChanged();
  };
  const turn = async () => {
    if (await attempt(() => call('POST', `${path}/${webhook.enabled ? 'disable' : 'enable'}`)))
      await onChanged();
  };
  const remove = async () => {
    const body = named(t.removeBody);
    const action = words.frame.remove;
    if (!(await ask({ title: t.removeTitle, body, action, isDanger: true }))) return;
    if (await attempt(() => call('DELETE', path))) onRemoved();
  };
  return (
    <>
      <ActionButton class="button button-quiet" onRun={rotate}>
        {t.rotateSecret}
      </ActionButton>
      <ActionButton class="button button-quiet" onRun={turn}>
        {webhook.enabled ? words.frame.turnOff : words.frame.turnOn}
      </ActionButton>
      <ActionButton onRun={remove}>{words.frame.remove}</ActionButton>
    </>
  );
}
