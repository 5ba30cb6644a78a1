/** The settings of mailers that the banner and the dashboard show to copy. */
import { expect, test } from 'bun:test';
import { frameworks } from '../../src/rules/mailer-settings.ts';
import { mailers } from '../../src/rules/mailers.ts';
import { haveTool, runTool } from '../peers/tools.ts';

const user = { name: 'my-app', password: 'secret' };
const server = { host: 'mail.example.com', port: 465, tls: true, user };

function findFramework(name: string) {
  return frameworks.find((one) => one.name === name)!;
}

test.skipIf(!haveTool('python3 with venv'))(
  'the line for Django can be pasted into settings.py',
  async () => {
    const { write } = mailers.find(({ name }) => name === 'Django')!;
    const program = `${write({ host: 'localhost', port: 1025 })}\nprint(EMAIL_HOST, EMAIL_PORT)`;
    const { output } = await runTool(['python3', '-'], program);
    expect(output.trim()).toBe('localhost 1025');
  },
);

test('the settings for Go and msmtp, which assume STARTTLS, say when TLS starts with the first byte', () => {
  const [go, php] = [findFramework('Go'), findFramework('PHP mail()')];
  expect(go.write(server)).toContain('tls.Dial("tcp", "mail.example.com:465", nil)');
  expect(go.write(server)).not.toContain('SendMail');
  expect(go.write({ ...server, tls: false })).toContain('smtp.SendMail("mail.example.com:465", auth,');
  expect(php.write(server)).toContain('tls_starttls off');
  expect(php.write({ ...server, tls: false })).not.toContain('tls_starttls');
});
