/** An inbox that a request creates in a trap can get mail: RCPT accepts its address too. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const characters = [...'abA1.-+_"\\ @[]:;,<>()%!/\'=?^{|}~ü日'];
const part = fc
  .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 5 })
  .map((found) => found.join(''));
const addresses = fc.oneof(
  part.map((local) => `${local}@x.test`),
  part.map((domain) => `a@${domain}.test`),
  fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}`),
);

async function isAccepted({ smtpPort }: RunningAppliance, address: string): Promise<boolean> {
  using client = await SmtpClient.greet({ port: smtpPort });
  await client.say('MAIL FROM:<app@x.test>', 250);
  client.send(`RCPT TO:<${address}>`);
  return (await client.reply()).code === 250;
}

test('what a request creates as an inbox is an address that RCPT accepts', async () => {
  await using capture = await startAppliance({ capture: {}, settings: { limits: 'off' } });
  const key = capture.apiKey!;
  const check = async (address: string) => {
    const path = `/api/v1/inboxes/${encodeURIComponent(address)}`;
    const { status, json } = await capture.request('GET', path, { key });
    if (status !== 200) return expect([address, status]).toEqual([address, 404]);
    const inbox: string = json.data.address;
    expect([inbox, await isAccepted(capture, inbox)]).toEqual([inbox, true]);
  };
  for (const address of ['a@b@x.test', '"a@b"@x.test', '"a b"@x.test', 'ü@münchen.test', 'a@[127.0.0.1]'])
    await check(address);
  await fc.assert(fc.asyncProperty(addresses, check), { numRuns: 500 });
}, 60_000);
