/** What the contract's cases, which are JSON, can't express: attachments as bytes, and the types of events. */
import { expect, test } from 'bun:test';
import { type AnyWebhookEvent, Postern, webhooks } from '../../../clients/typescript/src/index.ts';

test('attachments may be bytes of any length', async () => {
  const bodies: { attachments: { content: string }[] }[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(String(body)));
    return Response.json({ data: { id: 'out_1' } }, { status: 201 });
  };
  const inbox = new Postern({ url: 'http://127.0.0.1:1', apiKey: 'key', fetch }).inbox('inbox_1');
  for (const length of [0, 1, 24_575, 24_576, 24_577, 100_000]) {
    const content = Uint8Array.from({ length }, (_, at) => at % 251);
    await inbox.reply('msg_1', {
      attachments: [
        { filename: 'a.bin', content },
        { message_id: 'msg_1', index: 0 },
      ],
    });
    const [own, other] = bodies.at(-1)!.attachments;
    expect(Buffer.from(own!.content, 'base64').equals(content)).toBe(true);
    expect(other).toEqual({ message_id: 'msg_1', index: 0 } as never);
  }
});

test('the kind of an event determines the type of its data', async () => {
  const body = JSON.stringify({
    id: 'evt_1',
    event: 'email.sent',
    data: { outbound_email: { id: 'out_1' } },
  });
  const t = Math.floor(Date.now() / 1000);
  const sum = new Bun.CryptoHasher('sha256', 'whsec_x').update(`${t}.${body}`).digest('hex');
  const headers = { 'x-service-signature': `t=${t},v1=${sum}` };
  const event = await webhooks.verify<AnyWebhookEvent>({ headers, body }, 'whsec_x');
  expect(event.event === 'email.sent' && event.data.outbound_email.id).toBe('out_1');
});
