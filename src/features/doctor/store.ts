import { openPrivateKey } from '../domains/dkim-key.ts';
import { signingSecrets } from '../webhooks/secret.ts';
import { webhookOf } from '../webhooks/sql.ts';
import { bad, type Check, counted, good } from './check.ts';
import { anyDkimKey, anyWebhook, soundnessRead } from './sql.ts';

const RESTORE = 'Stop the server and bring a backup back: postern restore FILE.';

/** A large store on a slow disk takes minutes to read. */
const STORE_MS_MAX = 300_000;

export const storeCheck: Check = {
  name: 'store',
  withinMs: STORE_MS_MAX,
  async run({ store }) {
    const { faults, messages, inboxes, accounts } = await store.readApart(soundnessRead, null);
    if (faults.length > 0) return bad(`The store is damaged: ${faults.join('; ')}. ${RESTORE}`);
    const holds = [
      counted(messages, 'message'),
      inboxes === 1 ? '1 inbox' : `${inboxes} inboxes`,
      counted(accounts, 'account'),
    ];
    return good(`Sound: ${holds.join(', ')}.`);
  },
};

export const keyCheck: Check = {
  name: 'server_key',
  async run({ store, key, clock }) {
    const inboxNo = anyWebhook(store);
    const hook = inboxNo === null ? null : webhookOf(store, inboxNo);
    const dkim = anyDkimKey(store);
    if (!hook && !dkim) return good('There; nothing is sealed with it yet.');
    try {
      if (hook) signingSecrets(key, hook, clock.nowUs());
      if (dkim) openPrivateKey(key, dkim.domain_id, dkim);
      return good('Opens what is sealed in the store.');
    } catch {
      return bad(
        'server.key in the data folder does not open what is sealed in the store: it is the key of another store. ' +
          'Bring the right one back (postern restore brings store and key of a backup), or make new secrets with ' +
          'postern webhook rotate and a new sending setup of each domain.',
      );
    }
  },
};
