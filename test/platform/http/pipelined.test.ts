/** Clients that send requests on one connection without waiting for the responses. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { startAppliance } from '../../start.ts';

const REQUEST = 'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Sends requests in one piece. Resolves with the responses when the server has closed the connection, or sent all. */
function sendAll(port: number, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const list = () => text.split('HTTP/1.1 ').slice(1);
    const finish = () => {
      socket.destroy();
      resolve(list());
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (list().length === count) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(REQUEST.repeat(count));
  });
}

test('a few requests at once are answered on their connection', async () => {
  await using appliance = await startAppliance();
  const responses = await sendAll(appliance.httpPort, 20);
  expect(responses.map((text) => text.slice(0, 3))).toEqual(Array(20).fill('404'));
  expect(responses.join('')).not.toMatch(/connection: close/i);
});

test('thousands of requests at once are cut off, so that other connections get their turn', async () => {
  await using appliance = await startAppliance();
  // The last ones may be lost: closing a connection with unread requests resets it.
  expect((await sendAll(appliance.httpPort, 5_000)).length).toBeLessThan(100);
  // What other connections send next is served as always.
  expect((await sendAll(appliance.httpPort, 1)).length).toBe(1);
});
