/** The commands that call a server over HTTP and SMTP, as a script uses them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAppliance } from '../../../start.ts';
import { postern, posternJson, serveHttp, startServing } from '../command-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-client-'));
const trap = await startServing(['capture']);
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const env = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' };
const nobody = { POSTERN_URL: 'http://127.0.0.1:9' };

describe('wait', () => {
  test('prints the code of a mail that is already there, and nothing else', async () => {
    await postern(['send', '--to', 'code@example.com', '--code', '445566'], env);
    expect(await postern(['wait', 'code@example.com', '--code'], env)).toEqual({
      status: 0,
      stdout: '445566\n',
      stderr: '',
    });
  });

  test('is woken by a mail that comes while it waits', async () => {
    await postern(['send', '--to', 'later@example.com', '--subject', 'first', '--text', 'no code'], env);
    const waiting = postern(['wait', 'later@example.com', '--link'], env);
    const html = '<a href="https://example.com/verify?token=abcdef0123456789">Sign in</a>';
    await postern(['send', '--to', 'later@example.com', '--subject', 'Sign in', '--html', html], env);
    expect((await waiting).stdout).toBe('https://example.com/verify?token=abcdef0123456789\n');
  });

  test('exits with 4 when time runs out, and says why the messages that came did not match', async () => {
    await postern(['send', '--to', 'no@example.com', '--text', 'hello'], env);
    const { status, stdout, stderr } = await postern(['wait', 'no@example.com', '--timeout', '1'], env);
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
    expect(stderr).toBe('No match: 1 message came, none has a code (waited 1 s).\n');
  });

  test('gives a message to one of two waits that mark it read', async () => {
    await postern(['send', '--to', 'once@example.com', '--code', '998877'], env);
    const args = ['wait', 'once@example.com', '--mark-read', '--timeout', '1'];
    const both = await Promise.all([postern(args, env), postern(args, env)]);
    expect(both.map(({ stdout }) => stdout).sort()).toEqual(['', '998877\n']);
  });

  test('shows a message without the control characters of its sender', async () => {
    const text = 'one\u001b[2Jtwo';
    await postern(['send', '--to', 'esc@example.com', '--subject', 'A\u001b[31m', '--text', text], env);
    const { stdout } = await postern(['wait', 'esc@example.com', '--message'], env);
    expect(stdout).toContain('Subject: A [31m\n');
    expect(stdout).toContain('\none[2Jtwo\n');
  });

  test.each([['--link'], []])(
    'prints a link without the control characters of its sender',
    async (...flag) => {
      const html =
        '<a href="https://example.com/verify?token=abcdef\u001b]52;c;cHduZWQ=\u0007\u009b2J\u202e012">Sign in</a>';
      const to = `link${flag.length}@example.com`;
      await postern(['send', '--to', to, '--subject', 'Sign in', '--html', html], env);
      expect((await postern(['wait', to, ...flag], env)).stdout).toBe(
        'https://example.com/verify?token=abcdef%1B]52;c;cHduZWQ=%07%C2%9B2J%E2%80%AE012\n',
      );
    },
  );

  test('says which inbox does not exist', async () => {
    const { status, stdout, stderr } = await postern(['wait', 'no-address', '--timeout', '1'], env);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      `${trap.ready.http} has no inbox no-address for this key. Use its address or its id.\n`,
    );
  });

  test('filters by sender and subject, and prints the message as JSON', async () => {
    const to = ['--to', 'pick@example.com', '--text', 'x'];
    await postern(['send', ...to, '--from', 'ann@a.example', '--subject', 'One'], env);
    await postern(['send', ...to, '--from', 'bob@b.example', '--subject', 'Two'], env);
    const wait = ['wait', 'pick@example.com', '--message'];
    expect(await posternJson<object>([...wait, '--from', 'ann@'], env)).toMatchObject({ subject: 'One' });
    expect(await posternJson<object>([...wait, '--subject', 'two'], env)).toMatchObject({ subject: 'Two' });
  });
});

describe('a secret in a file', () => {
  const file = join(folder, 'key');
  writeFileSync(file, `${trap.ready.api_key}\n`);

  test('is read without its last newline', async () => {
    const settings = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY_FILE: file };
    await postern(['send', '--to', 'file@example.com', '--code', '112233'], settings);
    expect((await postern(['wait', 'file@example.com'], settings)).stdout).toBe('112233\n');
  });

  test('is refused when the variable is set too, and when it can’t be read', async () => {
    const both = await postern(['ready'], { ...env, POSTERN_API_KEY_FILE: file });
    expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining('both set') });
    const gone = await postern(['ready'], { ...nobody, POSTERN_OUTBOUND_FILE: join(folder, 'none') });
    expect(gone).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('POSTERN_OUTBOUND_FILE: ENOENT'),
    });
  });
});

describe('send', () => {
  test('attaches files under their names, and sends to all recipients', async () => {
    const names = ['note.txt', 'README', 'what?.txt', 'mail.eml'];
    const files = names.map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, 'Subject: attached\r\n\r\nattached\r\n');
    const attached = files.flatMap((file) => ['--attach', file]);
    const to = ['--to', 'x1@example.com', '--to', 'Two <x2@example.com>'];
    const sent = await posternJson<object>(['send', ...to, '--text', 'see', ...attached], env);
    expect(sent).toMatchObject({ accepted: ['x1@example.com', 'x2@example.com'], rejected: [], code: null });
    const got = await posternJson<{ text: string; attachments: { filename: string }[] }>(
      ['wait', 'x2@example.com', '--message'],
      env,
    );
    expect(got.attachments.map(({ filename }) => filename)).toEqual(names);
    expect(got.text.trim()).toBe('see');
  });

  test('says which file is missing, and refuses --code together with a text', async () => {
    const to = ['send', '--to', 'a@example.com'];
    expect(await postern([...to, '--attach', '/none'], env)).toMatchObject({
      status: 1,
      stderr: 'File /none does not exist.\n',
    });
    expect((await postern([...to, '--attach', folder], env)).stderr).toBe(
      `${folder} is a folder. Give a file in it.\n`,
    );
    expect((await postern([...to, '--text', 'x', '--code', '1234'], env)).status).toBe(2);
    expect((await postern(['send'], env)).stderr).toContain('--to is missing');
  });

  test.each(['from', 'to'])('refuses a --%s without an address', async (flag) => {
    for (const invalidSender of ['root', 'Ann Shop', '@example.com']) {
      const flags = ['--to', 'a@example.com', `--${flag}`, invalidSender];
      expect(await postern(['send', ...flags], env)).toMatchObject({
        status: 2,
        stderr: `--${flag} must be an address such as ann@example.com\n`,
      });
    }
  });
});

test('wait goes on while a proxy answers that the server is down', async () => {
  for (const status of [502, 503, 504]) {
    using proxy = serveHttp(status);
    const ended = await postern(['wait', 'a@b.test', '--timeout', '0.3'], { POSTERN_URL: proxy.url });
    expect([ended.status, ended.stderr]).toEqual([
      4,
      `The server is not ready (${status}) (waited 0.3 s).\n`,
    ]);
  }
});

describe('ready', () => {
  test('exits with 0 at once if the server accepts mail, and with 4 if no server is ready in time', async () => {
    expect(await postern(['ready'], env)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await posternJson<object>(['ready', '--wait', '10'], env)).toEqual({ ready: true, reason: null });
    expect((await postern(['ready', '--wait', '0.3'], nobody)).status).toBe(4);
  });

  test('waits while a proxy answers that the server is down', async () => {
    for (const status of [502, 503, 504]) {
      using proxy = serveHttp(status);
      const { stderr, ...ended } = await postern(['ready', '--wait', '0.3'], { POSTERN_URL: proxy.url });
      expect([ended.status, stderr]).toEqual([4, `Not ready: ${status}\n`]);
    }
  });

  test('without a URL asks the server with the same settings, even by https, as a container’s health check does', async () => {
    await using secure = await startAppliance({ settings: { http_tls: 'on' } });
    const own = { POSTERN_HTTP_LISTEN: `0.0.0.0:${secure.httpPort}`, POSTERN_HTTP_TLS: 'on' };
    expect(await postern(['ready'], own)).toEqual({ status: 0, stdout: '', stderr: '' });
    // Docker and many companies set these variables for every program, but a proxy can't reach a loopback address.
    const proxies = { HTTP_PROXY: nobody.POSTERN_URL, HTTPS_PROXY: nobody.POSTERN_URL };
    expect(await postern(['ready'], { ...own, ...proxies })).toMatchObject({ status: 0 });
    expect(await postern(['ready'], { ...env, ...proxies })).toMatchObject({ status: 0 });
    const { status, stderr } = await postern(['ready'], { ...own, POSTERN_URL: secure.url });
    expect([status, stderr]).toEqual([4, expect.stringContaining('self signed certificate')]);
  });
});

describe('completion and man', () => {
  test('make bash complete commands, groups and flags', async () => {
    const { stdout } = await postern(['completion', 'bash']);
    const file = join(folder, 'completion.bash');
    writeFileSync(file, stdout);
    const complete = async (...words: string[]) => {
      const quoted = ['postern', ...words].map((word) => `'${word}'`).join(' ');
      const line = `source '${file}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _postern; echo "\${COMPREPLY[@]}"`;
      return (await new Response(Bun.spawn(['bash', '-c', line]).stdout).text()).trim();
    };
    expect(await complete('ser')).toBe('serve');
    expect(await complete('account', 'cr')).toBe('create');
    expect(await complete('wait', 'a@example.com', '--mark')).toBe('--mark-read');
    expect(await complete('key', 'create', '--na')).toBe('--name');
    expect(await complete('sendmail', '--')).toBe('--help');
    expect(await complete('completion', 'f')).toBe('fish');
    expect(await complete('account', 'set', 'a@example.com', '--trap', '')).toBe('on off');
    // No word, so that bash offers files.
    expect(await complete('send', '--attach', '')).toBe('');
  });

  test('make zsh and fish complete the values of a flag or an argument that has a fixed set of them', async () => {
    const { stdout: zsh } = await postern(['completion', 'zsh']);
    expect(zsh).toContain('account:set:--trap) words_here=(on off) ;;');
    expect(zsh).toContain('send:*:--attach) words_here=() ;;');
    const { stdout: fish } = await postern(['completion', 'fish']);
    expect(fish).toContain("__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    expect(fish).toContain("__fish_seen_subcommand_from set' -l trap -x -a 'on off'");
  });

  test('make zsh and fish complete every command, and refuse another shell', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await postern(['completion', shell]);
      for (const word of ['capture', 'account', 'create', 'mark-read']) expect(stdout).toContain(word);
    }
    expect(await postern(['completion', 'csh'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });

  test('print one JSON value each with --json', async () => {
    const script = await postern(['completion', 'fish']);
    expect(await posternJson<unknown>(['completion', 'fish'])).toEqual({
      shell: 'fish',
      script: script.stdout,
    });
    const page = await postern(['man']);
    expect(await posternJson<unknown>(['man'])).toEqual({ page: page.stdout });
  });

  test('print a manual page with every command, setting and exit status', async () => {
    const { stdout } = await postern(['man']);
    expect(stdout).toStartWith('.TH POSTERN 1');
    for (const text of ['.SS "postern wait ADDRESS"', '.B POSTERN_HTTP_LISTEN', 'Exit status 4'])
      expect(stdout).toContain(text);
    // A line that begins with a dot is a roff request.
    const requests = stdout
      .split('\n')
      .filter((line) => line.startsWith('.'))
      .map((line) => line.split(' ')[0]!);
    expect([...new Set(requests)].sort()).toEqual([
      '.B',
      '.I',
      '.PP',
      '.SH',
      '.SS',
      '.TH',
      '.TP',
      '.fi',
      '.nf',
    ]);
  });
});

test('the help of capture shows the most useful settings, and the rest on request', async () => {
  const short = (await postern(['capture', '--help'])).stdout;
  expect(short).toContain('POSTERN_SMTP_LISTEN');
  expect(short).not.toContain('POSTERN_OUTBOUND_PORT');
  expect(short).toContain('--help-all');
  expect((await postern(['capture', '--help-all'])).stdout).toContain('POSTERN_OUTBOUND_PORT');
});
