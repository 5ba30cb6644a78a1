/**
 * The commands of cypress-mailpit and cypress-mailhog with our listener. Cypress itself is not installed: a stand-in has
 * what the commands use (`cy.request`, `cy.wrap`, chains).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CompatScene, openScene, plainMail, richMail } from './scene.ts';

type Command = (...given: unknown[]) => Promise<unknown>;

interface Asked {
  method: string;
  url: string;
  qs?: Record<string, unknown>;
  body?: unknown;
}

let scene: CompatScene;
const commands: Record<string, Command> = {};

/** Sends a request as `cy.request` does: parses JSON, and throws for a status other than 2xx. */
async function request({ method, url, qs = {}, body }: Asked) {
  const asked = new URL(url);
  for (const [name, value] of Object.entries(qs)) asked.searchParams.set(name, String(value));
  const response = await fetch(asked, {
    method,
    headers: { accept: '*/*', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

beforeAll(async () => {
  scene = await openScene();
  const kept: Record<string, unknown> = {
    mailHogUrl: `${scene.url}/`,
    MAILPIT_URL: scene.url,
    defaultCommandTimeout: 4_000,
  };
  Object.assign(globalThis, {
    Cypress: {
      env: (name: string) => kept[name],
      expose: (name: string) => kept[name],
      config: (name: string) => kept[name],
      Commands: {
        add(name: string, ...rest: unknown[]) {
          commands[name] = rest.at(-1) as Command;
        },
      },
    },
    cy: {
      request,
      wrap: async (value: unknown) => value,
      env: async () => ({}),
      wait: (ms: number) => Bun.sleep(ms),
      verifyUpcomingAssertions: async (subject: unknown) => subject,
    },
  });
  await import('cypress-mailpit');
  // @ts-expect-error: it declares the commands, and is not a module.
  await import('cypress-mailhog');
  await scene.send({ to: ['jane@example.org', 'bob@example.org'], raw: richMail('Rich') });
  await scene.send({
    to: ['ann@example.org'],
    raw: plainMail({ subject: 'Plain', text: 'hi', to: 'ann@example.org' }),
  });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  Reflect.deleteProperty(globalThis, 'Cypress');
  Reflect.deleteProperty(globalThis, 'cy');
});

/** Runs a command by its name. */
function run(name: string, ...given: unknown[]): Promise<never> {
  return commands[name]!(...given) as Promise<never>;
}

describe('cypress-mailhog', () => {
  test('finds mails by subject, sender and recipient', async () => {
    expect(await run('mhGetAllMails')).toHaveLength(2);
    expect(await run('mhGetMailsBySubject', 'Plain')).toHaveLength(1);
    expect(await run('mhGetMailsByRecipient', 'bob@example.org')).toHaveLength(1);
    expect(await run('mhGetMailsBySender', 'app@example.com')).toHaveLength(2);
    expect(await run('mhSearchMails', 'to', 'ann@example.org')).toHaveLength(1);
    const mail = (await run('mhGetMailsBySubject', 'Plain'))[0];
    expect(await run('mhGetSubject', mail)).toBe('Plain' as never);
    expect(await run('mhGetRecipients', mail)).toEqual(['ann@example.org'] as never);
    const rich = (await run('mhGetMailsBySubject', 'Rich'))[0];
    expect(await run('mhGetAttachments', rich)).toEqual(['"rows.csv"'] as never);
  });
});

describe('cypress-mailpit', () => {
  test('finds, reads, marks, sends and deletes', async () => {
    expect(await run('mailpitGetAllMails')).toMatchObject({ total: 2 });
    expect(await run('mailpitHasEmailsBySubject', 'Rich')).toMatchObject({ messages_count: 1 });
    expect(await run('mailpitHasEmailsByTo', 'bob@example.org')).toMatchObject({ messages_count: 1 });
    expect(await run('mailpitNotHasEmailsBySubject', 'None')).toMatchObject({ messages_count: 0 });
    const { ID } = (await run('mailpitSendMail')) as { ID: string };
    const mail = await run('mailpitGetMail', ID);
    expect(await run('mailpitGetSubject', mail)).toBe('Hello Mailpit' as never);
    expect(await run('mailpitGetFromAddress', mail)).toBe('from@example.com' as never);
    expect(await run('mailpitGetRecipientAddress', mail)).toEqual(['jane@example.com'] as never);
    expect(await run('mailpitGetMailHTMlBody', mail)).toContain('<p>hello from mailpit</p>' as never);
    expect(await run('mailpitGetMailTextBody', mail)).toContain('hello from mailpit' as never);
    expect(await run('mailpitSetAllEmailStatusAsRead')).toBe('ok' as never);
    expect(await run('mailpitSetStatusAsUnRead', mail)).toBe('ok' as never);
    expect(await run('mailpitGetAllMails')).toMatchObject({ total: 3, unread: 1 });
    await run('mailpitDeleteEmailsBySearch', 'subject:Plain');
    expect(await run('mailpitGetAllMails')).toMatchObject({ total: 2 });
    await run('mailpitDeleteAllEmails');
    expect(await run('mailpitGetAllMails')).toMatchObject({ total: 0 });
  });
});
