import type { WebhookSecretView } from '../../features/webhooks/wire.ts';
import { me } from '../api.ts';
import { SecretDialog } from '../secret.tsx';
import { words } from '../words/words.ts';

/** Shows the signing secret that a webhook just got: its first, or one beside the previous. */
export function WebhookSecret({ of: webhook, onClose }: { of: WebhookSecretView; onClose: () => void }) {
  const t = words.account.webhooks;
  const isFirst = webhook.previous_secret_until === null;
  return (
    <SecretDialog
      title={isFirst ? t.secret : t.newSecret}
      secret={webhook.secret}
      what={t.secret}
      onClose={onClose}
    >
      {isFirst ? t.secretBody : t.newSecretBody(me.value!.bounds.previous_secret_hours)}
    </SecretDialog>
  );
}
