/** The receivers in docs/webhooks.md, run as printed except for the port. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReceiver } from '../../peers/https-receiver.ts';
import { startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Hooked } from './hooked.ts';

const page = readFileSync(join(import.meta.dir, '../../../docs/webhooks.md'), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'postern-docs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const readBlock = (language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
const receivers: { file: string; code: string; program: string | null }[] = [
  { file: 'receiver.ts', code: readBlock('ts'), program: process.execPath },
  { file: 'receiver.mjs', code: removeTypes(readBlock('ts')), program: Bun.which('node') },
  { file: 'receiver.py', code: readBlock('python'), program: Bun.which('python3') },
];

test.each(['ts', 'python'])('the receiver in %s has 15 lines', (language) => {
  expect(readBlock(language).trimEnd().split('\n')).toHaveLength(15);
});

for (const { file, code, program } of receivers) {
  describe.skipIf(program === null)(`the receiver in ${file}`, () => {
    test('accepts what we sign, before and after a rotation, and nothing else', async () => {
      const port = await freePort();
      writeFileSync(join(dir, file), code.replace('8080', String(port)));
      await using appliance = await startAppliance({ settings: { webhook_allow_networks: '127.0.0.0/8' } });
      const url = `http://127.0.0.1:${port}/`;
      const hooked = await Hooked.make(appliance, url);
      const child = Bun.spawn([program!, join(dir, file)], {
        env: { ...process.env, WEBHOOK_SECRET: hooked.secret },
        stdout: 'pipe',
        stderr: 'ignore',
      });
      try {
        await answers(url);
        // Neither a client that hangs up in the middle of its body nor one that sends nothing keeps deliveries out.
        await hangUp(port);
        await using _idle = await openIdle(port);
        await hooked.arrive({ subject: 'signed by us' });
        expect((await hooked.attempted(1)).attempts[0]).toMatchObject({ response_status: 204, error: null });
        const { rotateSecret } = await import('../../../src/features/webhooks/configure.ts');
        await rotateSecret(appliance.services, hooked.webhook);
        await hooked.arrive({ subject: 'signed by both' });
        expect((await hooked.attempted(1)).attempts[0]).toMatchObject({ response_status: 204 });
        // A webhook of the account gets events that are about no message; a receiver must survive them.
        const bounced = JSON.stringify({ event: 'email.bounced', data: { outbound_email: {} } });
        const headers = { 'x-service-signature': sign(bounced, hooked.secret) };
        expect((await fetch(url, { method: 'POST', body: bounced, headers })).status).toBe(204);
        await hooked.arrive({ subject: 'after a bounce' });
        expect((await hooked.attempted(1)).attempts[0]).toMatchObject({ response_status: 204 });
        for (const signature of wrongSignatures) {
          const headers = { 'x-service-signature': signature };
          const answer = await fetch(url, { method: 'POST', body: '{}', headers });
          expect([signature, answer.status]).toEqual([signature, 401]);
        }
      } finally {
        child.kill();
        await child.exited;
      }
      const printed = (await new Response(child.stdout).text()).trimEnd().split('\n');
      expect(printed.toSpliced(2, 1)).toEqual(['signed by us', 'signed by both', 'after a bounce']);
    });
  });
}

function sign(body: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

const wrongSignatures = [
  '',
  't=',
  't=x,v1=',
  `t=1,v1=${'0'.repeat(64)}`,
  `t=9999999999,v1=${'0'.repeat(64)}`,
  'ü,ü',
];

/** Returns the code as Node 20 runs it, which reads no TypeScript. */
function removeTypes(code: string): string {
  return new Bun.Transpiler({ loader: 'ts' }).transformSync(code);
}

/** Sends a part of a body and closes the connection. */
async function hangUp(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  socket.resume();
  await once(socket, 'close');
}

async function openIdle(port: number): Promise<AsyncDisposable> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return { [Symbol.asyncDispose]: async () => void socket.destroy() };
}

async function freePort(): Promise<number> {
  await using taken = await startReceiver({ kind: 'http' });
  return taken.port;
}

async function answers(url: string): Promise<void> {
  const request = { method: 'POST', body: '{}' };
  await until(() =>
    fetch(url, request).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
}
