/** The tables of the documents match the code, in both directions. */

import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { patchedDependencies, version } from '../package.json';
import { routes } from '../src/app/routes.ts';
import { commands } from '../src/doors/operator/commands.ts';
import { formatUsage } from '../src/doors/operator/help.ts';
import { knobs } from '../src/platform/core/settings.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';
import { type ErrorRule, errors } from '../src/rules/errors.ts';
import { codeReasons, linkReasons } from '../src/rules/extraction-reasons.ts';
import { limits } from '../src/rules/limits.ts';
import { type MetricName, metricName, metrics } from '../src/rules/metrics.ts';
import { type Cap, planNames, plans } from '../src/rules/plans.ts';
import { replies } from '../src/rules/replies.ts';
import { reservedLocalParts } from '../src/rules/reserved.ts';
import { settings } from '../src/rules/settings.ts';
import { startAppliance } from './start.ts';
import { findFaults, programCalls, shellBlocks } from './tidy/command-lines.ts';
import { documents, findMissingHeadings, quoted, readText, rowsBelow } from './tidy/documents.ts';

/** Returns the rows whose first cell is a name in backticks. */
const namedRows = (document: string, heading: string) =>
  rowsBelow(document, heading).flatMap(([first, ...rest]) => {
    const name = quoted(first);
    return name === undefined ? [] : [[name, ...rest]];
  });

const operations = 'docs/operations.md';
const contract = 'docs/api-v1.md';

describe('the contract page', () => {
  test('lists every error code with its status, and no other', () => {
    const written = namedRows(contract, '## Errors').map(([code, status]) => `${code} ${status}`);
    const rules = Object.entries<ErrorRule>(errors);
    const wanted = rules.map(([code, { status, also = [] }]) => `${code} ${[status, ...also].join(', ')}`);
    expect(written.sort()).toEqual(wanted.sort());
  });

  test('lists every endpoint, and no other', () => {
    const text = readText(contract);
    const written = Array.from(text.matchAll(/^(?:\| )?`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/gm), (row) =>
      row[1]!.replaceAll('{inbox_id}', '{id}'),
    );
    const wanted = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(written)].sort()).toEqual(wanted.sort());
  });

  test('names only error codes that exist', () => {
    const known = Object.keys(errors);
    const family = /`([a-z]+(?:_[a-z]+)+)`/g;
    const afterStatus = Array.from(
      readText(contract).matchAll(/\b4\d\d ((?:`\w+`(?:, )?)+)/g),
      (row) => row[1]!,
    );
    const named = afterStatus.flatMap((list) => Array.from(list.matchAll(family), (one) => one[1]!));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((code) => !known.includes(code))).toEqual([]);
  });

  test('states the right numbers for the rate limits', () => {
    const rows = rowsBelow(contract, '## Limits');
    const listNumbers = (start: string) => {
      const value = rows.find(([name]) => name?.startsWith(start))?.[1] ?? '';
      return Array.from(value.matchAll(/\d+/g), Number);
    };
    expect(listNumbers('Requests per key')).toEqual([
      limits.requests_per_minute.max,
      limits.requests_per_hour.max,
    ]);
    expect(listNumbers('Concurrent waits per account')).toEqual(
      planNames.map((plan) => plans[plan].concurrent_waits),
    );
    expect(listNumbers('Concurrent waits, service')).toEqual([Number(settings.wait_slots.default)]);
    expect(listNumbers('Public read rate')).toEqual([limits.public_read_per_minute.max]);
    expect(listNumbers('Agent registration')).toEqual([limits.agent_registrations_per_hour.max]);
    expect(listNumbers('Batch message ids').at(-1)).toBe(limits.batch_per_hour.max);
    expect(listNumbers('Webhook test')).toEqual([
      limits.webhook_test_inbox.max,
      limits.webhook_test_account.max,
    ]);
    const { domain_verify_domain: one, domain_verify_account: all } = limits;
    expect(listNumbers('Manual domain check')).toEqual([one.max, one.windowS, all.max]);
    expect(listNumbers('Catch-all toggle')).toEqual([limits.catch_all_toggles.max]);
    expect(listNumbers('DKIM setup')).toEqual([limits.sending_setups.max]);
    expect(listNumbers('Outbound recipients')).toEqual([Number(settings.outbound_recipients_max.default)]);
  });
});

describe('the decisions', () => {
  test('name every field of every object, and no other where the list is complete', () => {
    const section = readText('docs/decisions.md').split('\n## Objects\n')[1]!.split('\n## ')[0]!;
    const words = new Set(`${section}${readText(contract)}`.match(/\w+/g));
    const findBullet = (name: string): string[] => {
      const bullet = new RegExp(`^- \\*\\*${name}\\*\\*:([\\s\\S]*?)\\.\n`, 'm').exec(section)?.[1] ?? '';
      return Array.from(bullet.matchAll(/[a-z_]+/g), ([word]) => word);
    };
    const document = openApiDocument(routes);
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts have no types.
    const schemas = (document as any).components.schemas as Record<string, any>;
    const listFields = (schema: string) => Object.keys(schemas[schema].properties);
    const shown = [
      'Inbox',
      'InboxDetail',
      'Message',
      'MessageSummary',
      'Domain',
      'OutboundEmail',
      'Verification',
    ];
    for (const schema of [...shown, 'PublicMessage', 'ApprovedRecipient', 'Account']) {
      expect([schema, listFields(schema).filter((field) => !words.has(field))]).toEqual([schema, []]);
    }
    expect(findBullet('Message summary')).toEqual(listFields('MessageSummary'));
    expect(findBullet('Public message').filter((word) => word !== 'exactly')).toEqual(
      listFields('PublicMessage'),
    );
    expect(findBullet('ApprovedRecipient')).toEqual(listFields('ApprovedRecipient'));
  });

  test('list the caps of every plan', () => {
    const rows = rowsBelow('docs/decisions.md', '## Plans');
    expect(rows[0]).toEqual(['', ...planNames]);
    const capsOf: Record<string, Cap[]> = {
      inboxes: ['inboxes'],
      'custom domains': ['custom_domains'],
      webhooks: ['webhooks'],
      'batch message operations': ['batch'],
      'catch-all, outbound, full verify': ['catch_all', 'outbound', 'full_verify'],
      'concurrent waits': ['concurrent_waits'],
      'live API keys': ['api_keys'],
      'message retention, days (0: forever)': ['retention_days'],
    };
    for (const [name = '', ...written] of rows.slice(1)) {
      const values = written.map((cell) => ({ yes: 1, no: 0 })[cell] ?? Number(cell.replace(',', '')));
      for (const cap of capsOf[name] ?? []) {
        expect([cap, ...values]).toEqual([cap, ...planNames.map((plan) => plans[plan][cap])]);
      }
    }
    expect(rows.slice(1).map(([name]) => name!)).toEqual(Object.keys(capsOf));
  });

  test('name every reserved local part', () => {
    const list = /Reserved on the shared domain \(422\): ([^.]+)\./.exec(readText('docs/decisions.md'))?.[1];
    expect(list?.split(/,\s+/)).toEqual([...reservedLocalParts]);
  });
});

describe('the operations page', () => {
  test('lists every setting with its default, and no other', () => {
    const rows = namedRows(operations, '## Settings').filter(([name]) => !/_LIMIT_[A-Z]/.test(name!));
    const written = rows.map(([name, value]) => [name, quoted(value) ?? null]);
    const wanted = Object.entries(settings).map(([name, rule]) => [
      `POSTERN_${name.toUpperCase()}`,
      rule.default,
    ]);
    expect(written.sort()).toEqual(wanted.sort());
  });

  test('lists every rate limit with its number and what it is counted by, and no other', () => {
    const rows = namedRows(operations, '### Limits and plans').filter(([name]) => /_LIMIT_/.test(name!));
    const written = rows.map(([name, max, per]) => [name, quoted(max), per?.split(':')[0]].join(' '));
    const wanted = Object.entries(limits).map(([name, { max, per }]) =>
      [`POSTERN_LIMIT_${name.toUpperCase()}`, max, per].join(' '),
    );
    expect(written.sort()).toEqual(wanted.sort());
  });

  test('lists every command, and no other, with its flags', () => {
    const rows = namedRows(operations, '## Commands').filter(([name]) => !name!.startsWith('scripts/'));
    const readName = (line: string) => /^[a-z]+(?: [a-z]+(?:-[a-z]+)*)*/.exec(line)![0];
    expect(rows.map(([line]) => readName(line!)).sort()).toEqual(commands.map(({ name }) => name).sort());
    for (const command of commands) {
      const [line = ''] = rows.find(([written]) => readName(written!) === command.name) ?? [];
      const flagsIn = (text: string) => text.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? [];
      const declared = (command.flags ?? []).map(({ name }) => `${name.length > 1 ? '--' : '-'}${name}`);
      expect([command.name, ...flagsIn(line).sort()]).toEqual([command.name, ...declared.sort()]);
      const required = formatUsage(command).match(/--[a-z-]+/g) ?? [];
      for (const flag of required) expect(line).not.toContain(`[${flag}`);
    }
  });

  test('explains every line of the doctor, and no other', async () => {
    const written = namedRows(operations, '## What the doctor says').map(([name]) => name);
    await using appliance = await startAppliance({ settings: { dns_servers: '127.0.0.1:9' } });
    const found = await appliance.services.doctor.examine();
    expect(written.sort()).toEqual(found.map(({ name }) => name).sort());
  });

  test('lists every metric with its type, and no other', () => {
    const written = namedRows(operations, '## Metrics').map(([name, type]) => `${name} ${type}`);
    const wanted = Object.entries(metrics).map(
      ([name, { type }]) => `${metricName(name as MetricName)} ${type}`,
    );
    expect(written.sort()).toEqual(wanted.sort());
    // If two metrics have the same help text, it is wrong for one of them.
    const helps = Object.values(metrics).map(({ help }) => help);
    expect(new Set(helps).size).toBe(helps.length);
  });
});

test('the page of patches lists exactly the patches that are applied', () => {
  const applied = Object.values(patchedDependencies).sort();
  const listed = namedRows('patches/README.md', '## What each patch fixes').map(
    ([name]) => `patches/${name}`,
  );
  expect(listed.sort()).toEqual(applied);
  const kept = readdirSync('patches').filter((name) => name.endsWith('.patch'));
  expect(kept.map((name) => `patches/${name}`).sort()).toEqual(applied);
});

test('the server page lists every SMTP reply with its codes, and no other', () => {
  const written = namedRows('docs/server.md', '## What SMTP answers').map(
    ([name, code]) => `${name} ${code}`,
  );
  const wanted = Object.entries(replies).map(
    ([name, { code, text }]) => `${name} ${code} ${text.split(' ')[0]}`,
  );
  expect(written.sort()).toEqual(wanted.sort());
});

test('the clients and every document have the version of the program', () => {
  const ci = readdirSync('examples/ci').map((name) => `examples/ci/${name}`);
  const named = [
    ...[...documents, ...ci].map((document) => [
      document,
      /\bpostern[:_-](\d+\.\d+\.\d+)|(?:example\.com\/|image:)(\d+\.\d+\.\d+)/g,
    ]),
    ['clients/typescript/package.json', /"version": "([^"]+)"/g],
    ['clients/python/src/postern_mail/__init__.py', /^__version__ = "([^"]+)"/gm],
  ] as [string, RegExp][];
  const found = named.flatMap(([path, form]) =>
    Array.from(readText(path).matchAll(form), ([, one, other]) => `${path}: ${one ?? other}`),
  );
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((line) => !line.endsWith(`: ${version}`))).toEqual([]);
});

describe('every document', () => {
  test('has the headings that comments cite', () => {
    expect(findMissingHeadings()).toEqual([]);
  });

  test('names only settings that exist', () => {
    const secrets = knobs.filter(({ rule }) => rule.secret).map(({ variable }) => `${variable}_FILE`);
    const variables = knobs.map(({ variable }) => variable);
    const ofClients = ['POSTERN_BIN', 'POSTERN_SMTP_URL', 'POSTERN_CONTRACT_SERVERS'];
    const known = new Set([...variables, ...secrets, ...ofClients, 'POSTERN_LIMIT_', 'POSTERN_PLAN_']);
    const strays = documents.flatMap((document) =>
      (readText(document).match(/\bPOSTERN_[A-Z_]+/g) ?? [])
        .filter((name) => !known.has(name))
        .map((name) => `${document}: ${name}`),
    );
    expect(strays).toEqual([]);
  });

  test('shows only commands and flags that exist', () => {
    const names = commands.map(({ name }) => name);
    const flags = new Set([
      ...knobs.map(({ flag }) => flag),
      ...commands.flatMap((command) => (command.flags ?? []).map(({ name }) => `--${name}`)),
      ...['--json', '--config', '--help'],
    ]);
    const strays = documents.flatMap((document) =>
      commandLines(readText(document)).flatMap((line) => {
        const [, words = ''] = /postern ((?:[a-z]+(?:-[a-z]+)* ?){0,2})/.exec(line) ?? [];
        const [first = '', second = ''] = words.trim().split(' ');
        const isKnown = first === '' || names.some((name) => name === first || name === `${first} ${second}`);
        const isGroup = second === '' && names.some((name) => name.startsWith(`${first} `));
        const unknown = (line.match(/ --[a-z-]+/g) ?? []).filter((flag) => !flags.has(flag.trim()));
        return isKnown || isGroup ? unknown.map((flag) => `${line}: ${flag}`) : [line];
      }),
    );
    expect(strays).toEqual([]);
  });
});

describe('a command to paste', () => {
  const examine = (script: string) => programCalls(script).flatMap(findFaults);

  test('uses only variables that its page sets or explains', () => {
    const strays = documents.flatMap((document) => {
      const text = readText(document);
      const scripts = shellBlocks(text).join('\n');
      const explained = new Set(Array.from(text.matchAll(/`\$?(\w+)`/g), ([, name]) => name));
      const set = new Set(Array.from(scripts.matchAll(/\b(\w+)=|\bfor (\w+) in\b/g), ([, a, b]) => a ?? b));
      const used = new Set(Array.from(scripts.matchAll(/\$\{?([A-Za-z_]\w*)/g), ([, name]) => name));
      return [...used]
        .filter((name) => !explained.has(name) && !set.has(name))
        .map((name) => `${document}: ${name}`);
    });
    expect(strays).toEqual([]);
  });

  test('in a document is one that the program accepts', () => {
    const scripts = documents.flatMap((document) => shellBlocks(readText(document)));
    expect(scripts.flatMap(programCalls).length).toBeGreaterThan(30);
    expect(scripts.flatMap(examine)).toEqual([]);
  });

  test('in an example is one that the program accepts', () => {
    const files = readdirSync('examples', { recursive: true, withFileTypes: true });
    const lines = files
      .filter((file) => file.isFile())
      .flatMap((file) => readText(`${file.parentPath}/${file.name}`).split('\n'));
    // Comments, keys of YAML and a program in another's arguments are not part of the command.
    const scripts = lines.map((line) =>
      line.replace(/^\s*(?:(?:#|\/\/) )?(?:- )?(?:(?:run|command): )?/, ''),
    );
    expect(scripts.flatMap(programCalls).length).toBeGreaterThan(5);
    expect(scripts.flatMap(examine)).toEqual([]);
  });

  test('in --help is one that the program accepts', () => {
    expect(commands.flatMap(({ examples = [] }) => examples.flatMap(examine))).toEqual([]);
  });

  test.each([
    'sudo postern wait a@example.com --codes | cat',
    'postern search mail --tags b',
    "printf 'x' | dist/postern wait &",
    'POSTERN_URL=http://127.0.0.1:9 postern accounts list',
  ])('is found to be wrong if it is %s', (line) => {
    expect(examine(line)).not.toEqual([]);
  });
});

/** Returns the lines in fences and the words in backticks that run the program. */
function commandLines(text: string): string[] {
  const fences = Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, body = '']) => body.split('\n'));
  const words = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, word = '']) => word);
  const calls = /^(?:sudo )?(?:\.\/|dist\/)?postern (?!<)/;
  return [...fences.flat(), ...words].filter((line) => calls.test(line));
}

test('the page on codes and links lists every reason with its meaning', () => {
  const rows = namedRows('docs/extraction.md', '## Why this one').map(([name, meaning]) => [name, meaning]);
  expect(rows.filter(([name]) => name !== 'otp_reason' && name !== 'magic_link_reason')).toEqual([
    ...Object.entries(codeReasons),
    ...Object.entries(linkReasons),
  ]);
});
