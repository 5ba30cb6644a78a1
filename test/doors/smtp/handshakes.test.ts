/** Clients that connect to a listener with tls:// and never finish the handshake. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ownAddress } from '../../peers/own-address.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

const PLACES = 5;
let appliance: RunningAppliance;

beforeAll(async () => {
  const settings = { smtp_listen: 'tls://127.0.0.1:0', smtp_connections: String(PLACES) };
  appliance = await startAppliance({ settings });
});
afterAll(() => appliance[Symbol.asyncDispose]());

async function connectSilently(host = '127.0.0.1', port = appliance.smtpPort): Promise<Socket> {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const greet = () => SmtpClient.greet({ port: appliance.smtpPort, tls: true });

test('when silent clients have all places, the oldest makes room', async () => {
  const held: Socket[] = [];
  for (let nth = 0; nth < PLACES; nth++) held.push(await connectSilently());
  const closed = once(held[0]!, 'close');
  using one = await greet();
  await closed;
  // Its handshake is over, so the place that was made is free again.
  using other = await greet();
  expect(held.map((socket) => socket.closed)).toEqual([true, false, false, false, false]);
  await one.say('NOOP', 250);
  await other.say('NOOP', 250);
  for (const socket of held) socket.destroy();
});

test('a handshake that finishes or is given up frees its place', async () => {
  for (let nth = 0; nth < 3 * PLACES; nth++) {
    const silent = await connectSilently();
    silent.destroy();
    using client = await greet();
    await client.say('QUIT', 221);
  }
  const held = await Promise.all(Array.from({ length: PLACES - 1 }, () => connectSilently()));
  using client = await greet();
  await client.say('NOOP', 250);
  expect(held.filter((socket) => socket.closed)).toHaveLength(0);
  for (const socket of held) socket.destroy();
});

test.if(ownAddress !== undefined)(
  'an address beyond its maximum is cut off before its handshake',
  async () => {
    const settings = { smtp_listen: 'tls://0.0.0.0:0', smtp_connections_per_ip: '2' };
    await using small = await startAppliance({ settings });
    const where = { host: ownAddress!, port: small.smtpPort };
    const knock = () => connectSilently(where.host, where.port);
    const held = [await knock(), await knock()];
    const refused = await knock();
    await once(refused, 'close');
    expect(held.map((socket) => socket.closed)).toEqual([false, false]);
    held[0]!.destroy();
    // The server learns of it a moment later.
    await until(() =>
      SmtpClient.greet({ ...where, tls: true }).then(
        (client) => {
          client.close();
          return true;
        },
        () => false,
      ),
    );
    held[1]!.destroy();
  },
);
