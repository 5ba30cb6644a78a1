/** Rules of traps, where every address exists. */
import { expect, test } from 'bun:test';
import { mailRules } from '../../../src/rules/mail-rules.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { verdict } from '../outbound/sender.ts';
import { setTrap } from '../traps/shared-trap.ts';

test('a rule of a trap may name an inbox that has no mail yet, and applies to its first mail', async () => {
  await using capture = await startAppliance({ capture: {} });
  const key = capture.apiKey!;
  const call = (method: string, path: string, body: unknown) =>
    capture.request(method, `/api/v1${path}`, { key, body });
  const created = await call('POST', '/rules', { inbox_id: 'New@x.test', tags: ['first'] });
  expect(verdict(created)).toBe('201');
  expect(created.json.data.inbox_address).toBe('new@x.test');
  const changed = await call('PATCH', `/rules/${created.json.data.id}`, { inbox_id: 'other@x.test' });
  expect(changed.json.data.inbox_address).toBe('other@x.test');
  const to = ['other@x.test', 'new@x.test'];
  await sendMail({ port: capture.smtpPort, from: 'a@x.test', to, raw: 'Subject: x\r\n\r\nx\r\n' });
  const { json } = await capture.request('GET', '/api/v1/messages', { key });
  const tags = json.data.map(
    ({ envelope_recipient, tags }: { envelope_recipient: string; tags: string[] }) => [
      envelope_recipient,
      ...tags,
    ],
  );
  expect(tags.sort()).toEqual([['new@x.test'], ['other@x.test', 'first']]);
});

test('an inbox that is no address, has no room or is not in a trap is still refused', async () => {
  await using server = await startAppliance({ settings: { plan_free_inboxes: '1' } });
  const holder = await server.holder('free');
  const { key } = holder;
  const add = (inboxId: string) =>
    server.request('POST', '/api/v1/rules', { key, body: { inbox_id: inboxId, stop: true } });
  const refusal = async (inboxId: string) => (await add(inboxId)).json.error.fields.inbox_id;
  expect(await refusal('new@x.test')).toEqual(['is not one of your inboxes']);
  await setTrap(server, holder, true);
  expect(verdict(await add('new@x.test'))).toBe('201');
  for (const unknown of ['inbox_unknown', 'no address@x.test'])
    expect(await refusal(unknown)).toEqual(['is not one of your inboxes']);
  expect(await refusal('second@x.test')).toEqual([
    'would be a new inbox, and the account has as many as its plan allows',
  ]);
});

test('a rule that is refused leaves no inbox in a trap', async () => {
  await using capture = await startAppliance({ capture: {} });
  const key = capture.apiKey!;
  const call = (method: string, path: string, body?: unknown) =>
    capture.request(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const named = { inbox_id: 'new@x.test', stop: true };
  expect(verdict(await call('PATCH', '/rules/rule_unknown', named))).toBe('404 not_found');
  const idle = await call('POST', '/rules', { ...named, stop: false });
  expect(verdict(idle)).toBe('422 validation_error body');
  for (let count = 0; count < mailRules.rulesMax; count++)
    expect(verdict(await call('POST', '/rules', { stop: true }))).toBe('201');
  expect(verdict(await call('POST', '/rules', named))).toBe('409 conflict');
  expect((await call('GET', '/inboxes')).json.data).toEqual([]);
});
