import { openPrivateKey } from '../domains/dkim-key.ts';
import { listSigningSecrets } from '../webhooks/secret.ts';
import { findWebhookByNo } from '../webhooks/sql.ts';
import { type Check, flag, formatCount, pass } from './check.ts';
import { findAnyDkimKey, findAnyWebhook, soundnessRead } from './sql.ts';

const RESTORE = 'Stop the server and restore a backup: postern restore FILE.';

/** Reading a large store on a slow disk takes minutes. */
const STORE_MS_MAX = 300_000;

export const storeCheck: Check = {
  name: 'store',
  withinMs: STORE_MS_MAX,
  async run({ store }) {
    const { faults, messages, inboxes, accounts } = await store.readApart(soundnessRead, null);
    if (faults.length > 0) return flag(`The store is damaged: ${faults.join('; ')}. ${RESTORE}`);
    const holds = [
      formatCount(messages, 'message'),
      inboxes === 1 ? '1 inbox' : `${inboxes} inboxes`,
      formatCount(accounts, 'account'),
    ];
    return pass(`Sound: ${holds.join(', ')}.`);
  },
};

export const keyCheck: Check = {
  name: 'server_key',
  async run({ store, key, clock }) {
    const hookNo = findAnyWebhook(store);
    const hook = hookNo === null ? null : findWebhookByNo(store, hookNo);
    const dkim = findAnyDkimKey(store);
    if (!hook && !dkim) return pass('server.key exists. Nothing is encrypted with it yet.');
    try {
      if (hook) listSigningSecrets(key, hook, clock.nowUs());
      if (dkim) openPrivateKey(key, dkim.domain_id, dkim);
      return pass('server.key decrypts the secrets in the store.');
    } catch {
      return flag(
        "server.key in the data folder can't decrypt the secrets in the store: it belongs to another store. " +
          'Restore the right one (postern restore brings back the store and its key), or create new secrets with ' +
          'postern webhook rotate and set up sending again for each domain.',
      );
    }
  },
};
