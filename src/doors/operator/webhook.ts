import { findInbox } from '../../features/inboxes/find.ts';
import {
  disableWebhook,
  enableWebhook,
  removeWebhook,
  requireWebhook,
  retryDelivery,
  rotateSecret,
  setWebhook,
} from '../../features/webhooks/configure.ts';
import {
  type Delivery,
  findWebhookById,
  listDeliveries,
  listInboxDeliveries,
  type Webhook,
} from '../../features/webhooks/sql.ts';
import { viewDelivery, viewNewSecret, viewWebhook } from '../../features/webhooks/view.ts';
import type { DeliveryView, WebhookSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { fail } from '../../platform/core/failure.ts';
import { idPrefixes } from '../../rules/ids.ts';
import { accountWebhookCommands } from './account-webhook.ts';
import { given, type Input, inboxArgument, type Operating, readCount, type StoreCommand } from './command.ts';
import { formatFields, formatTable } from './table.ts';

const hookArgument = {
  name: 'INBOX',
  meaning: "an inbox's id or address, or the id of an account's webhook (hook_…)",
};
const SHOWN = 100;
const SHOWN_MAX = 1000;
const readLimit = (text: string) => readCount('limit', text, SHOWN_MAX);

const findCommandInbox = ({ services }: Operating, input: Input) =>
  findInbox(services.store, given(input, 'inbox'));

function findCommandHook(operating: Operating, input: Input): Webhook {
  return (
    findAccountHook(operating, input) ??
    requireWebhook(operating.services, findCommandInbox(operating, input))
  );
}

/** Returns the account's webhook that the argument names; null if it names an inbox. */
function findAccountHook({ services }: Operating, input: Input): Webhook | null {
  const id = given(input, 'inbox');
  if (!id.startsWith(idPrefixes.webhook)) return null;
  return findWebhookById(services.store, id) ?? fail('not_found', { text: `There is no webhook ${id}.` });
}

/** The fields that these commands print are fixed (docs/operations.md); the API's objects have more. */
type PrintedSecret = Pick<WebhookSecretView, 'inbox_id' | 'url' | 'enabled' | 'secret'>;
type PrintedDelivery = Omit<DeliveryView, 'event'>;

function printSecret({ inbox_id, url, enabled, secret }: WebhookSecretView): PrintedSecret {
  return { inbox_id, url, enabled, secret };
}

function printDelivery(row: Delivery): PrintedDelivery {
  const { event: _, ...printed } = viewDelivery(row);
  return printed;
}

const set: StoreCommand = {
  name: 'webhook set',
  meaning: 'post each new message of an inbox to a URL; the signing secret is shown once',
  arguments: [inboxArgument],
  flags: [{ name: 'url', value: 'U', required: true, meaning: 'where to POST: https, a public address' }],
  examples: ['postern webhook set signup@mail.example.com --url https://app.example.com/mail'],
  async run(operating, input): Promise<PrintedSecret> {
    const { services } = operating;
    const made = await setWebhook(services, findCommandInbox(operating, input), given(input, 'url'));
    return printSecret(viewNewSecret(services.key, made));
  },
  show: showSecret,
};

const show: StoreCommand = {
  name: 'webhook show',
  meaning: "show an inbox's webhook, without its secret",
  arguments: [hookArgument],
  async run(operating, input): Promise<WebhookView> {
    const { services } = operating;
    return viewWebhook(findCommandHook(operating, input), services.clock.nowUs());
  },
  show: showWebhook,
};

const rotate: StoreCommand = {
  name: 'webhook rotate',
  meaning: 'create a new signing secret; the old one also signs for 24 hours',
  arguments: [hookArgument],
  async run(operating, input): Promise<PrintedSecret> {
    const { services } = operating;
    const made = await rotateSecret(services, findCommandHook(operating, input));
    return printSecret(viewNewSecret(services.key, made));
  },
  show: showSecret,
};

const enable = turn('webhook enable', 'enable a webhook; pending deliveries are sent at once', enableWebhook);
const disable = turn('webhook disable', 'disable a webhook; pending deliveries are kept', disableWebhook);

function turn(name: string, meaning: string, change: typeof enableWebhook): StoreCommand {
  return {
    name,
    meaning,
    arguments: [hookArgument],
    async run(operating, input): Promise<WebhookView> {
      const { services } = operating;
      const changed = await change(services, findCommandHook(operating, input));
      return viewWebhook(changed, services.clock.nowUs());
    },
    show: showWebhook,
  };
}

const remove: StoreCommand = {
  name: 'webhook remove',
  meaning: 'remove a webhook from an inbox; pending deliveries are dropped',
  arguments: [hookArgument],
  async run(operating, input): Promise<WebhookView> {
    const { services } = operating;
    return viewWebhook(
      await removeWebhook(services, findCommandHook(operating, input)),
      services.clock.nowUs(),
    );
  },
  show: ({ id, inbox_id, url }: WebhookView) =>
    `Removed the webhook ${inbox_id === null ? id : `of ${inbox_id}`} (${url}).`,
};

const deliveries: StoreCommand = {
  name: 'webhook deliveries',
  meaning: "list an inbox's deliveries, newest first, with each attempt; kept for 30 days",
  arguments: [hookArgument],
  flags: [
    {
      name: 'limit',
      value: 'N',
      check: readLimit,
      meaning: `how many to list, at most ${SHOWN_MAX}; ${SHOWN} by default`,
    },
  ],
  async run(operating, input): Promise<PrintedDelivery[]> {
    const rows = input.limit === undefined ? SHOWN : readLimit(input.limit);
    const { store } = operating.services;
    const hook = findAccountHook(operating, input);
    const found = hook
      ? listDeliveries(store, hook.no, rows)
      : listInboxDeliveries(store, findCommandInbox(operating, input).no, rows);
    return found.map(printDelivery);
  },
  show: (shown: PrintedDelivery[]) =>
    shown.length === 0
      ? 'No deliveries.'
      : formatTable(
          ['EVENT', 'MESSAGE', 'STATUS', 'TRIES', 'LAST ANSWER', 'NEXT'],
          shown.map((one) => [
            one.event_id,
            one.message_id ?? '-',
            one.status,
            String(one.attempts.length),
            formatLastAnswer(one),
            one.next_attempt_at ?? '-',
          ]),
        ),
};

const retry: StoreCommand = {
  name: 'webhook retry',
  meaning: 'send an event again now, whatever its state',
  arguments: [{ name: 'EVENT_ID', meaning: 'the id from webhook deliveries' }],
  run: async ({ services }, input): Promise<PrintedDelivery> =>
    printDelivery(await retryDelivery(services, given(input, 'event_id'))),
  show: (one: PrintedDelivery) => `${one.event_id} is due now; postern webhook deliveries shows the result.`,
};

function formatLastAnswer({ attempts }: PrintedDelivery): string {
  const last = attempts.at(-1);
  return last ? String(last.response_status ?? last.error) : '-';
}

function showSecret(made: PrintedSecret): string {
  const shown = formatFields([
    ['inbox', made.inbox_id],
    ['url', made.url],
    ['secret', made.secret],
  ]);
  return `${shown}\n\nSave the secret: it is not shown again. Test it: POST /api/v1/inboxes/${made.inbox_id}/webhook/test`;
}

function showWebhook(hook: WebhookView): string {
  const state = hook.enabled ? 'on' : `off (${hook.disabled_reason})`;
  return formatFields([
    hook.inbox_id === null ? ['webhook', hook.id] : ['inbox', hook.inbox_id],
    ['url', hook.url],
    ['events', hook.events.join(', ')],
    ['state', state],
    ['failures in a row', String(hook.consecutive_failures)],
    ['failing since', hook.failing_since],
    ['old secret signs until', hook.previous_secret_until],
    ['created', hook.created_at],
  ]);
}

export const webhookCommands: readonly StoreCommand[] = [
  ...accountWebhookCommands,
  set,
  show,
  rotate,
  enable,
  disable,
  remove,
  deliveries,
  retry,
];
