import { findInbox } from '../../features/inboxes/find.ts';
import {
  removeWebhook,
  requireWebhook,
  retryDelivery,
  rotateSecret,
  setWebhook,
  switchWebhook,
} from '../../features/webhooks/configure.ts';
import { type Delivery, listInboxDeliveries } from '../../features/webhooks/sql.ts';
import { deliveryView, newSecretView, webhookView } from '../../features/webhooks/view.ts';
import type { DeliveryView, WebhookSecretView, WebhookView } from '../../features/webhooks/wire.ts';
import { given, type Input, type Operating, type StoreCommand, UsageError } from './command.ts';
import { fieldLines, table } from './table.ts';

const inboxArgument = { name: 'INBOX', meaning: "an inbox's id, or its address" };
const SHOWN = 100;
const SHOWN_MAX = 1000;

const findCommandInbox = ({ services }: Operating, input: Input) =>
  findInbox(services.store, given(input, 'inbox'));

const findCommandHook = (operating: Operating, input: Input) =>
  requireWebhook(operating.services, findCommandInbox(operating, input));

/** What these commands print has fixed fields (docs/operations.md): the API's objects have more. */
type PrintedSecret = Pick<WebhookSecretView, 'inbox_id' | 'url' | 'enabled' | 'secret'>;
type PrintedDelivery = Omit<DeliveryView, 'event'>;

function printSecret({ inbox_id, url, enabled, secret }: WebhookSecretView): PrintedSecret {
  return { inbox_id, url, enabled, secret };
}

function printDelivery(row: Delivery): PrintedDelivery {
  const { event: _, ...printed } = deliveryView(row);
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
    return printSecret(newSecretView(services.key, made));
  },
  show: showSecret,
};

const show: StoreCommand = {
  name: 'webhook show',
  meaning: "show an inbox's webhook, without its secret",
  arguments: [inboxArgument],
  async run(operating, input): Promise<WebhookView> {
    const { services } = operating;
    return webhookView(findCommandHook(operating, input), services.clock.nowUs());
  },
  show: showWebhook,
};

const rotate: StoreCommand = {
  name: 'webhook rotate',
  meaning: 'create a new signing secret; the old one also signs for 24 hours',
  arguments: [inboxArgument],
  async run(operating, input): Promise<PrintedSecret> {
    const { services } = operating;
    const made = await rotateSecret(services, findCommandHook(operating, input));
    return printSecret(newSecretView(services.key, made));
  },
  show: showSecret,
};

const enable = turn('webhook enable', 'enable a webhook; pending deliveries are sent at once', true);
const disable = turn('webhook disable', 'disable a webhook; pending deliveries are kept', false);

function turn(name: string, meaning: string, on: boolean): StoreCommand {
  return {
    name,
    meaning,
    arguments: [inboxArgument],
    async run(operating, input): Promise<WebhookView> {
      const { services } = operating;
      return webhookView(
        await switchWebhook(services, findCommandHook(operating, input), on),
        services.clock.nowUs(),
      );
    },
    show: showWebhook,
  };
}

const remove: StoreCommand = {
  name: 'webhook remove',
  meaning: 'remove a webhook from an inbox; pending deliveries are dropped',
  arguments: [inboxArgument],
  async run(operating, input): Promise<WebhookView> {
    const { services } = operating;
    return webhookView(
      await removeWebhook(services, findCommandHook(operating, input)),
      services.clock.nowUs(),
    );
  },
  show: (hook: WebhookView) => `Removed the webhook of ${hook.inbox_id} (${hook.url}).`,
};

const deliveries: StoreCommand = {
  name: 'webhook deliveries',
  meaning: "list an inbox's deliveries, newest first, with each attempt; kept for 30 days",
  arguments: [inboxArgument],
  flags: [{ name: 'limit', value: 'N', meaning: `how many, at most ${SHOWN_MAX}; ${SHOWN} by default` }],
  async run(operating, input): Promise<PrintedDelivery[]> {
    const rows = Number(input.limit ?? SHOWN);
    if (!Number.isInteger(rows) || rows < 1 || rows > SHOWN_MAX) {
      throw new UsageError(`--limit must be a whole number from 1 to ${SHOWN_MAX}`);
    }
    return listInboxDeliveries(operating.services.store, findCommandInbox(operating, input).no, rows).map(
      printDelivery,
    );
  },
  show: (shown: PrintedDelivery[]) =>
    shown.length === 0
      ? 'No delivery.'
      : table(
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
  const shown = fieldLines([
    ['inbox', made.inbox_id],
    ['url', made.url],
    ['secret', made.secret],
  ]);
  return `${shown}\n\nSave the secret: it is not shown again. Test it: POST /api/v1/inboxes/${made.inbox_id}/webhook/test`;
}

function showWebhook(hook: WebhookView): string {
  const state = hook.enabled ? 'on' : `off (${hook.disabled_reason})`;
  return fieldLines([
    ['inbox', hook.inbox_id],
    ['url', hook.url],
    ['state', state],
    ['failures in a row', String(hook.consecutive_failures)],
    ['failing since', hook.failing_since],
    ['old secret signs until', hook.previous_secret_until],
    ['created', hook.created_at],
  ]);
}

export const webhookCommands: readonly StoreCommand[] = [
  set,
  show,
  rotate,
  enable,
  disable,
  remove,
  deliveries,
  retry,
];
