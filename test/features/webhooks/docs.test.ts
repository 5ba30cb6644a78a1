/** The receivers in docs/webhooks.md, run as printed except for the port. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReceiver } from '../../peers/https-receiver.ts';
import { startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Hooked } from './hooked.ts';

const page = readFileSync(join(import.meta.dir, '../../../docs/webhooks.md'), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'postern-docs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const languages: Record<string, { file: string; program: string | null }> = {
  ts: { file: 'receiver.ts', program: process.execPath },
  python: { file: 'receiver.py', program: Bun.which('python3') },
};

for (const [language, { file, program }] of Object.entries(languages)) {
  describe.skipIf(program === null)(`the receiver in ${file}`, () => {
    const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

    test('has 15 lines', () => expect(code.trimEnd().split('\n')).toHaveLength(15));

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
