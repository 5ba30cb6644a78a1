/** What `capture` prints in a terminal, and that it can be pasted. */
import { expect, test } from 'bun:test';
import { postern, shell, startShown } from './command-process.ts';

for (const listen of ['127.0.0.1:0', '[::1]:0']) {
  test(`the example commands that capture prints at ${listen} work`, async () => {
    const address = ['--http-listen', listen, '--smtp-listen', listen, '--log', 'pretty'];
    const child = startShown(['capture', ...address]);
    try {
      const shown = await child.banner;
      const lines = shown.split('\n').map((line) => line.trim());
      const sends = lines.find((line) => line.startsWith('printf '));
      const reads = lines.find((line) => line.startsWith('curl '));
      expect(shown).toContain('API key');
      expect(await shell(sends)).toBe('');
      const { data } = JSON.parse(await shell(reads)) as { data: { subject: string; text: string } };
      expect(data).toMatchObject({ subject: 'Hello', text: 'Your code is 123456\n' });
    } finally {
      child.end();
    }
  });
}

test('a capture that may release mail says to whom in its banner, and refuses to start with only one of the two settings', async () => {
  const address = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
  const smarthost = ['--release-smarthost', 'smtp://me:secret@relay.example:2525'];
  const allow = ['--release-allow', 'ann@example.com,team.example'];
  const child = startShown(['capture', ...address, '--log', 'pretty', ...smarthost, ...allow]);
  const shown = await child.banner;
  expect(shown).toContain(
    'what you release goes to ann@example.com, team.example through relay.example:2525.',
  );
  expect(shown).not.toContain('secret');
  expect(shown).not.toContain('nothing leaves');
  child.end();
  for (const [half, missing] of [
    [smarthost, 'Set POSTERN_RELEASE_ALLOW'],
    [allow, 'Set POSTERN_RELEASE_SMARTHOST'],
  ] as const) {
    const { status, stderr } = await postern(['capture', ...address, ...half]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(missing)]);
  }
});
