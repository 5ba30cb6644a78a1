/** Checks with other software: python3-dkim verifies our signatures, and Postfix's smtp-sink accepts our mail. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDomainByName } from '../../../src/features/domains/sql.ts';
import { haveTool, runTool } from '../../peers/tools.ts';
import { until } from '../../until.ts';
import {
  FROM_DOMAIN,
  mime,
  type SendingServer,
  setExchanger,
  startSendingServer,
  storedMime,
} from './sending-server.ts';

/** Publishes the key that the API shows in the DNS. */
async function publishKey({ appliance, owner, dns }: SendingServer): Promise<void> {
  const { id } = findDomainByName(appliance.services.store, FROM_DOMAIN)!;
  const { json } = await appliance.request('GET', `/api/v1/domains/${id}`, { key: owner.key });
  const { dkim_selector, dkim_public_key_txt } = json.data;
  const strings = (dkim_public_key_txt as string).match(/.{1,200}/g)!;
  dns.set(`${dkim_selector}._domainkey.${FROM_DOMAIN}`, 'TXT', { records: [{ type: 'TXT', data: strings }] });
}

/** Runs dkimverify's library with the DNS server of the test. */
const VERIFY = `
import sys, dns.resolver, dkim
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers = [sys.argv[1]]
resolver.port = int(sys.argv[2])
def txt(name, timeout=5):
    return b''.join(resolver.resolve(name.decode() if isinstance(name, bytes) else name, 'TXT')[0].strings)
print('signature ok' if dkim.verify(sys.stdin.buffer.read(), dnsfunc=txt) else 'signature verification failed')
`;

async function verify({ dns }: SendingServer, mail: string): Promise<string> {
  const command = ['/usr/bin/python3', '-c', VERIFY, dns.host, String(dns.port)];
  return (await runTool(command, Buffer.from(mail, 'latin1'))).output.trim();
}

const bodies = {
  short: 'hello\r\n',
  empty: '',
  dots: '.\r\n..\r\n.line\r\n\r\n\r\n',
  blanks: 'a  b \t c  \r\n\r\n \r\n',
  long: `${'The quick brown fox. '.repeat(40)}\r\n`.repeat(200),
  words: 'Grüße, 你好\r\n',
};

test.skipIf(!haveTool('dkim for Python'))(
  'python3-dkim verifies the signature on what arrives, by the published key',
  async () => {
    await using sender = await startSendingServer();
    await publishKey(sender);
    for (const [name, body] of Object.entries(bodies)) {
      const subject = name === 'words' ? '=?utf-8?q?Gr=C3=BC=C3=9Fe?=' : `Hello ${name}`;
      const id = await sender.queue('ann@far.test', { stored: storedMime(mime(subject, body)) });
      await until(() => sender.status(id) === 'sent');
      expect(`${name}: ${await verify(sender, sender.far.mails.at(-1)!.data)}`).toBe(`${name}: signature ok`);
    }
    const { data } = sender.far.mails.at(-1)!;
    const changes = [
      data.replace('Subject: ', 'Subject: Not '),
      data.replace('Grü', 'Gr'),
      // Oversigned: no second From can be added, nor a header that was absent.
      `From: Somebody <else@evil.test>\r\n${data}`,
      data.replace('\r\nTo: ', '\r\nReply-To: else@evil.test\r\nTo: '),
    ].map((changed) => (changed === data ? `${data}more\r\n` : changed));
    for (const changed of changes) expect(await verify(sender, changed)).toContain('failed');
  },
  60_000,
);

test.skipIf(!haveTool('smtp-sink'))(
  'Postfix’s smtp-sink accepts our mail',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'postern-sink-'));
    await using sender = await startSendingServer();
    const port = sender.far.port;
    setExchanger(sender.dns, 'sink.test', '10 mx.sink.test');
    sender.dns.setAddresses('mx.sink.test', '127.0.0.9');
    const path = `${process.env.PATH}:/usr/sbin`;
    const sink = Bun.spawn(
      ['smtp-sink', '-u', 'nobody', '-R', dir, '-d', 'mail.', `127.0.0.9:${port}`, '10'],
      {
        env: { ...process.env, PATH: path },
        stdout: 'ignore',
        stderr: 'pipe',
      },
    );
    try {
      await runTool(['chmod', '777', dir]);
      await until(() => canConnect('127.0.0.9', port), 10_000);
      const id = await sender.queue(['ann@sink.test', 'bob@sink.test']);
      await until(() => sender.status(id) === 'ann@sink.test sent, bob@sink.test sent');
      const [file] = readdirSync(dir).filter((name) => name.startsWith('mail.'));
      const taken = readFileSync(join(dir, file!), 'latin1');
      expect(taken).toContain('ann@sink.test');
      expect(taken).toContain('bob@sink.test');
      expect(taken).toContain('DKIM-Signature: v=1;');
      expect(taken).toContain('hello');
    } finally {
      sink.kill();
      await sink.exited;
      rmSync(dir, { recursive: true, force: true });
    }
  },
  30_000,
);

function canConnect(host: string, port: number): boolean {
  return (
    Bun.spawnSync(['bash', '-c', `exec 3<>/dev/tcp/${host}/${port}`], { stderr: 'ignore' }).exitCode === 0
  );
}
