/** What the commands that call a server say when it can't be reached, or refuses. */
import { afterAll, describe, expect, test } from 'bun:test';
import { postern, serveHttp, startServing } from '../command-process.ts';

const trap = await startServing(['capture']);
afterAll(() => trap[Symbol.asyncDispose]());

const env = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' };
const nobody = { POSTERN_URL: 'http://127.0.0.1:9' };

describe('a command that calls a server', () => {
  test.each(['wait a@example.com', 'send --to a@example.com', 'ready'])(
    'says that POSTERN_URL can be set when no server answers: %s',
    async (line) => {
      const { status, stderr } = await postern(line.split(' '), nobody);
      expect(stderr).toContain('No Postern answers at http://127.0.0.1:9 (ECONNREFUSED: Unable to connect).');
      expect(stderr).toContain('POSTERN_URL');
      expect(status).toBe(line === 'ready' ? 4 : 1);
    },
  );

  test.each([
    ['send --to a@example.com', 1, 'Not sent: '],
    ['sendmail a@example.com', 75, 'postern sendmail: '],
  ])('says that POSTERN_SMTP can be set when no SMTP server answers: %s', async (line, status, begin) => {
    const said = await postern(line.split(' '), { POSTERN_SMTP: '127.0.0.1:9' }, 'hello');
    const reason = 'no SMTP server answers at 127.0.0.1:9 (connect ECONNREFUSED 127.0.0.1:9).';
    expect(said).toMatchObject({ status, stdout: '' });
    expect(said.stderr).toBe(`${begin}${reason} Start one, or set POSTERN_SMTP to its address.\n`);
  });

  test.each(['wait a@example.com', 'search x', 'rule delete x', 'ready'])(
    'says so when another web server answers: %s',
    async (line) => {
      using other = serveHttp(200);
      const { status, stderr } = await postern(line.split(' '), { POSTERN_URL: other.url });
      expect([status, stderr]).toEqual([
        line === 'ready' ? 4 : 1,
        `The server at ${other.url} is not Postern. Set POSTERN_URL to Postern's address, with the path if it has one.\n`,
      ]);
    },
  );

  test('says so when Mailpit answers, which has the same port and some of the same paths', async () => {
    using mailpit = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        url.includes('/messages')
          ? Response.json({ messages: [], total: 0 })
          : new Response(null, { status: 200 }),
    });
    const url = `http://127.0.0.1:${mailpit.port}`;
    for (const [line = '', status] of [
      ['search x', 1],
      ['ready', 4],
    ] as const) {
      expect(await postern(line.split(' '), { POSTERN_URL: url })).toMatchObject({
        status,
        stderr: expect.stringContaining(`The server at ${url} is not Postern.`),
      });
    }
  });

  test.each(['wait a@example.com', 'search x', 'rule list', 'rule delete x', 'ready'])(
    'says so when a proxy or another web server does not know the path: %s',
    async (line) => {
      using other = serveHttp(404);
      const { status, stderr } = await postern(line.split(' '), { POSTERN_URL: other.url });
      expect([status, stderr]).toEqual([
        line === 'ready' ? 4 : 1,
        `There is no Postern at ${other.url} (404). Set POSTERN_URL to Postern's address, with the path if it has one.\n`,
      ]);
    },
  );

  test.each(['rule list', 'rule delete x', 'wait a@example.com'])(
    'says so when the URL has a path that Postern does not have: %s',
    async (line) => {
      const url = `${trap.ready.http}/mcp`;
      const { status, stderr } = await postern(line.split(' '), { ...env, POSTERN_URL: url });
      expect([status, stderr]).toEqual([1, expect.stringContaining(`There is no Postern at ${url} (404).`)]);
    },
  );

  test('gives no advice to programmers when the server does not speak HTTP', async () => {
    const { stderr } = await postern(['rule', 'list'], { POSTERN_URL: `http://${trap.ready.smtp}` });
    expect(stderr).toContain('Malformed_HTTP_Response)');
  });

  test('says so when the server does not accept the key', async () => {
    const wrong = await postern(['wait', 'a@example.com'], { ...env, POSTERN_API_KEY: 'pst_live_wrong' });
    expect(wrong).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not accept the API key'),
    });
  });

  test('prints the flag and the reason when the server refuses a value', async () => {
    const { status, stderr } = await postern(['wait', 'code@example.com', '--since', 'yesterday'], env);
    expect(status).toBe(1);
    expect(stderr).toContain('--since must be an ISO 8601 time');
  });
});
