/** A client that hangs up in the middle of its request. */
import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { api } from '../../../src/app/routes.ts';
import { startHttp } from '../../../src/platform/http/server.ts';
import { startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

test('a request that is cut off in its body is no error of the server', async () => {
  await using appliance = await startAppliance();
  const { key } = await appliance.holder();
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note, rarely: note };
  const services = { ...appliance.services, log };
  const http = startHttp({ services, api, listen: { host: '127.0.0.1', port: 0 }, ready: () => null });
  const socket = connect({ host: '127.0.0.1', port: http.port });
  const head = `POST /api/v1/inboxes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n{"la`);
  const [begun] = await once(socket, 'data');
  expect(String(begun)).toStartWith('HTTP/1.1 100 ');
  socket.destroy();
  await until(() => lines.length > 0);
  await http.stop();
  expect(lines).toEqual(['a client hung up']);
});
