/** Capture in an environment that was made for Mailpit or MailHog, and the listener for their clients. */
import { describe, expect, test } from 'bun:test';
import { program } from '../../program.ts';
import { postern, type Serving, startServing } from './command-process.ts';

interface ReadyLine {
  http: string;
  smtp: string;
  compat?: string;
}

/** Starts capture with these variables and only --json. Returns its ready line, and its log until then. */
async function startMoved(env: Record<string, string>, args: string[] = []) {
  const own = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|MP_|MH_|BUN_BE_BUN$)/.test(name));
  const child = Bun.spawn([...program, 'capture', '--json', ...args], {
    env: { ...Object.fromEntries(own), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const logged = new Response(child.stderr).text();
  const { value } = await child.stdout.getReader().read();
  const line =
    Buffer.from(value ?? '')
      .toString()
      .split('\n')[0] ?? '';
  child.kill('SIGTERM');
  await child.exited;
  return { ready: JSON.parse(line || '{}') as ReadyLine, logged: await logged };
}

const here = { MP_SMTP_BIND_ADDR: '127.0.0.1:0', MP_UI_BIND_ADDR: 'localhost:0' };

describe('the listener for clients of Mailpit and MailHog', () => {
  test('opens where POSTERN_COMPAT_LISTEN says, and its address is in the ready line', async () => {
    await using server: Serving = await startServing(['capture'], { POSTERN_COMPAT_LISTEN: '127.0.0.1:0' });
    const { compat } = server.ready as unknown as ReadyLine;
    expect(compat).toStartWith('http://127.0.0.1:');
    expect((await fetch(`${compat}/api/v1/info`)).status).toBe(200);
  });

  test('is closed by default', async () => {
    await using server: Serving = await startServing(['capture']);
    expect(server.ready).not.toHaveProperty('compat');
  });

  test('is refused anywhere but on loopback', async () => {
    const { status, stderr } = await postern(['capture'], { POSTERN_COMPAT_LISTEN: '0.0.0.0:8026' });
    expect([status, stderr]).toEqual([
      2,
      'POSTERN_COMPAT_LISTEN accepts only loopback addresses, because it asks for no key, and not 0.0.0.0:8026. Use an address of 127.0.0.0/8 or [::1].\n',
    ]);
  });

  test('asks for the key where capture does', async () => {
    const key = 'pst_live_0123456789abcdef';
    const settings = {
      POSTERN_COMPAT_LISTEN: '127.0.0.1:0',
      POSTERN_CAPTURE_OPEN: 'off',
      POSTERN_CAPTURE_API_KEY: key,
    };
    await using server: Serving = await startServing(['capture'], settings);
    const { compat } = server.ready as unknown as ReadyLine;
    const ask = (authorization?: string) =>
      fetch(`${compat}/api/v1/messages`, { headers: authorization ? { authorization } : {} });
    const refused = await ask();
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Postern"']);
    const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
    for (const wrong of [basic('any:wrong'), basic(key), basic(''), 'Basic', 'Bearer wrong', key])
      expect([wrong, (await ask(wrong)).status]).toEqual([wrong, 401]);
    for (const right of [basic(`any:${key}`), basic(`:${key}`), `Bearer ${key}`])
      expect([right, (await ask(right)).status]).toEqual([right, 200]);
    // A health check sends no login.
    for (const path of ['/livez', '/readyz']) expect((await fetch(`${compat}${path}`)).status).toBe(200);
  });

  test('is refused in postern serve', async () => {
    const { status, stderr } = await postern(['serve'], { POSTERN_COMPAT_LISTEN: '127.0.0.1:8026' });
    expect(status).toBe(2);
    expect(stderr).toStartWith('POSTERN_COMPAT_LISTEN is for postern capture only');
  });

  test('names its setting when its address is in use', async () => {
    await using server: Serving = await startServing(['capture']);
    const taken = new URL(server.ready.http).host;
    const { status, stderr } = await postern(
      ['capture', '--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'],
      {
        POSTERN_COMPAT_LISTEN: taken,
      },
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`${taken} is in use`);
    expect(stderr).toContain('set POSTERN_COMPAT_LISTEN (--compat-listen)');
  });
});

describe("Mailpit's and MailHog's variables", () => {
  test('are accepted by capture, and one line of the log names the settings that replace them', async () => {
    const { ready, logged } = await startMoved({
      ...here,
      MP_MAX_MESSAGE_SIZE: '1',
      MP_DATABASE: '/tmp/mp.db',
    });
    expect(new URL(ready.http).hostname).toBe('localhost');
    const lines = logged.split('\n').filter((line) => line.includes('another tool'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      'MP_SMTP_BIND_ADDR as POSTERN_SMTP_LISTEN=127.0.0.1:0, MP_UI_BIND_ADDR as POSTERN_HTTP_LISTEN=localhost:0, ' +
        'MP_MAX_MESSAGE_SIZE as POSTERN_SMTP_MAX_SIZE=1MiB',
    );
    expect(lines[0]).not.toContain('MP_DATABASE');
  });

  test('are accepted from MailHog, too', async () => {
    const env = {
      MH_SMTP_BIND_ADDR: '127.0.0.1:0',
      MH_API_BIND_ADDR: '127.0.0.1:0',
      MH_HOSTNAME: 'mail.example',
    };
    const { ready, logged } = await startMoved(env);
    expect(ready.smtp).toStartWith('127.0.0.1:');
    expect(logged).toContain('MH_API_BIND_ADDR as POSTERN_HTTP_LISTEN=127.0.0.1:0');
    expect(logged).toContain('MH_HOSTNAME as POSTERN_MX_HOST=mail.example');
  });

  test('are accepted for single origins, but not for every origin', async () => {
    const named = await startMoved({ ...here, MP_API_CORS: 'http://localhost:3000' });
    expect(named.logged).toContain('MP_API_CORS as POSTERN_CORS_ORIGINS=http://localhost:3000');
    // Mailpit's own form has no scheme.
    const bare = await startMoved({ ...here, MP_API_CORS: 'app.example, localhost:5173 https://b.example' });
    expect(bare.logged).toContain(
      'MP_API_CORS as POSTERN_CORS_ORIGINS=http://app.example,https://app.example,' +
        'http://localhost:5173,https://localhost:5173,https://b.example.',
    );
    const every = await startMoved({ ...here, MH_CORS_ORIGIN: '*' });
    expect(every.ready.http).toStartWith('http://');
    expect(every.logged).toContain('ignored: MH_CORS_ORIGIN=* (POSTERN_CORS_ORIGINS must name each origin).');
  });

  test('are overridden by Postern’s own settings, without a line in the log', async () => {
    const { ready, logged } = await startMoved(
      {
        MP_SMTP_BIND_ADDR: '10.9.8.7:25',
        MP_UI_BIND_ADDR: '10.9.8.7:80',
        POSTERN_SMTP_LISTEN: '127.0.0.1:0',
      },
      ['--http-listen', '127.0.0.1:0'],
    );
    expect(ready.smtp).toStartWith('127.0.0.1:');
    expect(logged).not.toContain('another tool');
  });

  test('are named in the error when they would open the trap to others', async () => {
    const { status, stderr } = await postern(['capture'], { MH_SMTP_BIND_ADDR: ':1025' });
    expect(status).toBe(2);
    expect(stderr).toContain('listens on 0.0.0.0:1025 only if');
    expect(stderr).toContain('MH_SMTP_BIND_ADDR as POSTERN_SMTP_LISTEN=0.0.0.0:1025');
  });

  test('are named in the error when their value is wrong', async () => {
    const env = {
      ...here,
      MP_MAX_MESSAGE_SIZE: 'big',
      MP_SMTP_MAX_RECIPIENTS: '0',
      MP_SMTP_TLS_CERT: '/x.pem',
    };
    const { status, stderr } = await postern(['capture'], env);
    expect(status).toBe(2);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'MP_MAX_MESSAGE_SIZE, read as POSTERN_SMTP_MAX_SIZE, must be a size such as 25MiB or 1048576, not "big"',
      'MP_SMTP_MAX_RECIPIENTS, read as POSTERN_SMTP_RECIPIENTS_MAX, must be from 1 to 10000, not "0"',
      'MP_SMTP_TLS_CERT and MP_SMTP_TLS_KEY go together: set both or neither',
    ]);
  });

  test('are ignored by postern serve', async () => {
    const { stderr } = await postern(['serve', '--http-listen', '127.0.0.1:0', '--smtp-listen', 'nowhere'], {
      MP_SMTP_BIND_ADDR: 'wrong',
    });
    expect(stderr).not.toContain('MP_SMTP_BIND_ADDR');
  });
});
