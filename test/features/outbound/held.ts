/** An account with an owner and a member, whose emails go to mail servers of our own. */
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { addMemberOp } from '../../../src/features/accounts/writes.ts';
import { openMime } from '../../../src/features/outbound/mime/sql.ts';
import type { Holder, Reply, RunningAppliance } from '../../start.ts';
import {
  FROM_DOMAIN,
  type SendingServer,
  type SendingServerOptions,
  startSendingServer,
} from './sending-server.ts';

export interface Held extends AsyncDisposable {
  sender: SendingServer;
  /** A key that a member created. */
  memberKey: string;
  inbox: { id: string; address: string };
  member(method: string, path: string, body?: unknown): Promise<Reply>;
  owner(method: string, path: string, body?: unknown): Promise<Reply>;
  /** A member's email to ann@far.test; returns its id. */
  ask(fields?: Record<string, unknown>): Promise<string>;
  mime(id: string): Buffer;
}

export const MEMBER = 'agent@example.org';

export async function startHeld(options: SendingServerOptions = {}): Promise<Held> {
  const sender = await startSendingServer(options);
  const { appliance, owner } = sender;
  const { services } = appliance;
  const memberKey = await createMemberKey(appliance, owner);
  const domains = await appliance.request('GET', '/api/v1/domains', { key: owner.key });
  const domain = domains.json.data[0].id;
  const inbox = await appliance.inbox(owner, { domain, routing_key: 'desk' });
  const by = (key: string) => (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const member = by(memberKey);
  return {
    sender,
    memberKey,
    inbox,
    member,
    owner: by(owner.key),
    async ask(fields = {}) {
      const { status, json, text } = await member('POST', '/outbound_emails', { ...email, ...fields });
      if (status !== 201) throw new Error(text);
      return json.data.id;
    },
    mime(id) {
      return Buffer.concat([...openMime(services.store, sender.email(id).no)!.read()]);
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

export const email = {
  from_address: `Desk <desk@${FROM_DOMAIN}>`,
  to: ['ann@far.test'],
  subject: 'A question',
  body_text: 'May I?\n',
};

/** The key of a new member. */
export async function createMemberKey(
  { services }: Pick<RunningAppliance, 'services'>,
  { account }: Holder,
): Promise<string> {
  const tokenHash = crypto.getRandomValues(new Uint8Array(32));
  const member = { account_no: account.no, email: MEMBER, token_hash: tokenHash };
  await services.store.write(addMemberOp, member);
  return (await createKey(services, account, { as: MEMBER, name: 'agent' })).api_key;
}
