/** Webhooks of a whole account. The other `webhook` commands, such as `webhook show`, accept their ids too. */
import { findAccount } from '../../features/accounts/find.ts';
import { createWebhook } from '../../features/webhooks/configure.ts';
import { listAccountWebhooks } from '../../features/webhooks/sql.ts';
import { viewNewSecret, viewWebhook } from '../../features/webhooks/view.ts';
import { eventList, type WebhookSecretView, type WebhookView } from '../../features/webhooks/wire.ts';
import { failField } from '../../platform/core/failure.ts';
import { eventKindNames } from '../../rules/events.ts';
import { accountArgument } from './account.ts';
import { given, type StoreCommand } from './command.ts';
import { formatFields, formatTable } from './table.ts';

const DEFAULT_EVENTS = 'email.received';
const HOOKS_SHOWN = 100;

const add: StoreCommand = {
  name: 'webhook add',
  meaning: "post an account's events to a URL; the signing secret is shown once",
  arguments: [accountArgument],
  flags: [
    { name: 'url', value: 'U', required: true, meaning: 'where to POST: https, a public address' },
    {
      name: 'events',
      value: 'KINDS',
      meaning: `comma-separated, from ${eventKindNames.join(', ')}; ${DEFAULT_EVENTS} by default`,
      check: readEvents,
      suggests: eventKindNames,
    },
  ],
  examples: [
    'postern webhook add ann@example.com --url https://app.example.com/mail --events email.received,email.bounced',
  ],
  async run({ services }, input): Promise<WebhookSecretView> {
    const { no } = findAccount(services.store, given(input, 'a'));
    const events = readEvents(input.events ?? DEFAULT_EVENTS);
    const made = await createWebhook(services, no, { url: given(input, 'url'), events });
    return viewNewSecret(services.key, made);
  },
  show: ({ id, url, events, secret }: WebhookSecretView) => {
    const shown = formatFields([
      ['webhook', id],
      ['url', url],
      ['events', events.join(', ')],
      ['secret', secret],
    ]);
    return `${shown}\n\nSave the secret: it is not shown again. Test it: POST /api/v1/webhooks/${id}/test`;
  },
};

const list: StoreCommand = {
  name: 'webhook list',
  meaning: "list an account's own webhooks, newest first, without those of its inboxes",
  arguments: [accountArgument],
  run: async ({ services }, input): Promise<WebhookView[]> => {
    const { no } = findAccount(services.store, given(input, 'a'));
    return listAccountWebhooks(services.store, no, Number.MAX_SAFE_INTEGER, HOOKS_SHOWN).map((hook) =>
      viewWebhook(hook, services.clock.nowUs()),
    );
  },
  show: (hooks: WebhookView[]) =>
    hooks.length === 0
      ? 'No webhooks.'
      : formatTable(
          ['WEBHOOK', 'URL', 'STATE', 'EVENTS'],
          hooks.map(({ id, url, enabled, events }) => [id, url, enabled ? 'on' : 'off', events.join(', ')]),
        ),
};

function readEvents(text: string) {
  const read = eventList.safeParse(text.split(',').map((name) => name.trim()));
  if (read.success) return read.data;
  return failField('events', `${read.error.issues[0]!.message}; the kinds are ${eventKindNames.join(', ')}`);
}

export const accountWebhookCommands: readonly StoreCommand[] = [add, list];
