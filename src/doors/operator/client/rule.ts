/** Rules of an account (docs/rules.md). */
import type { DryRunMatchView, RuleView } from '../../../features/mail-rules/wire.ts';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import {
  type Flag,
  given,
  type Input,
  type LocalCommand,
  makeInputKey,
  OperatorError,
  onOff,
  readWholeNumber,
  UsageError,
} from '../command.ts';
import { plainLine } from '../plain-text.ts';
import { formatTable } from '../table.ts';
import { makeRemote, RefusedRequest, type Remote } from './remote.ts';

const PATH = '/api/v1/rules';
/** Messages that a dry run checks by default. */
const DRY_RUN_MESSAGES = 3_000;

const NO_ACTION =
  'The rule must do something: give it at least one of --tags, --mark-read on, --delete-after-days, --forward-to, --notify-url and --stop on.';

const actions: Flag[] = [
  { name: 'tags', value: 'A,B', meaning: 'add these tags' },
  { name: 'mark-read', value: 'on|off', choices: onOff, meaning: 'mark it as read' },
  { name: 'delete-after-days', value: 'N', meaning: 'delete it after N days' },
  { name: 'forward-to', value: 'A,B', meaning: 'forward it unchanged to these approved recipients' },
  { name: 'notify-url', value: 'URL', field: 'notify url', meaning: 'post the template to this URL' },
  {
    name: 'notify-template',
    value: 'JSON',
    field: 'notify template',
    meaning: 'body to post, with placeholders such as {{subject}}',
  },
  { name: 'stop', value: 'on|off', choices: onOff, meaning: 'skip the rules after this one' },
];

const fields: Flag[] = [
  { name: 'name', value: 'N', meaning: 'name of the rule' },
  { name: 'inbox', value: 'I', field: 'inbox_id', meaning: 'only mail to this inbox; an id or an address' },
  { name: 'from', value: 'T', meaning: 'only mail whose From contains this, or matches it if it has a *' },
  { name: 'to', value: 'T', meaning: 'only mail whose recipient contains or matches this' },
  { name: 'subject', value: 'T', meaning: 'only mail whose subject contains or matches this' },
  {
    name: 'has-code',
    value: 'on|off',
    choices: onOff,
    meaning: 'only mail with a code, or only mail without one',
  },
  ...actions,
  { name: 'position', value: 'N', meaning: 'its position in the order, from 1' },
  {
    name: 'enabled',
    value: 'on|off',
    field: 'is_enabled',
    choices: onOff,
    meaning: 'turn the rule on or off',
  },
];

const ruleAdd: LocalCommand = {
  name: 'rule add',
  meaning: 'add a rule that applies to mail as it arrives',
  flags: fields,
  needsOneOf: actions,
  takesSettings: 'client',
  examples: [
    'postern rule add --subject invoice --tags money --mark-read on',
    'postern rule add --from "*@shop.example>" --has-code on --forward-to ann@example.org',
    'postern rule add --notify-url https://ntfy.sh/ --notify-template \'{"topic": "t", "message": "{{subject}}"}\'',
  ],
  async runHere({ input, json, loaded }) {
    const data = await saveRule(makeRemote(loaded.settings), 'POST', PATH, makeBody(input));
    process.stdout.write(json ? `${writePlainJson(data)}\n` : `${data.id}\n`);
    return 0;
  },
};

const ruleSet: LocalCommand = {
  name: 'rule set',
  meaning: 'change a rule: its conditions, its actions, its position, or whether it is on',
  arguments: [{ name: 'ID', meaning: 'the id from rule list' }],
  flags: fields,
  needsOneOf: fields,
  takesSettings: 'client',
  examples: ['postern rule set rule_… --enabled off', 'postern rule set rule_… --position 1'],
  async runHere({ input, json, loaded }) {
    const remote = makeRemote(loaded.settings);
    const data = await saveRule(remote, 'PATCH', makePath(input), makeBody(input), describeMissing(input));
    process.stdout.write(json ? `${writePlainJson(data)}\n` : `${showRules([data])}\n`);
    return 0;
  },
};

const ruleList: LocalCommand = {
  name: 'rule list',
  meaning: 'list the rules in the order in which they are tried',
  takesSettings: 'client',
  async runHere({ json, loaded }) {
    const answer = await makeRemote(loaded.settings).ask(PATH);
    const { data } = (await answer.json()) as { data: RuleView[] };
    process.stdout.write(`${json ? writePlainJson(data) : showRules(data)}\n`);
    return 0;
  },
};

const ruleDelete: LocalCommand = {
  name: 'rule delete',
  meaning: 'delete a rule; what it did stays',
  arguments: [{ name: 'ID', meaning: 'the id from rule list' }],
  takesSettings: 'client',
  async runHere({ input, json, loaded }) {
    await makeRemote(loaded.settings).ask(makePath(input), {
      method: 'DELETE',
      missing: describeMissing(input),
    });
    if (json) process.stdout.write('{}\n');
    return 0;
  },
};

const ruleDryRun: LocalCommand = {
  name: 'rule try',
  meaning: 'show which stored messages the rules match, and what they would do',
  arguments: [
    {
      name: 'ID',
      optional: true,
      field: 'rule_id',
      meaning: 'the id from rule list; all rules that are on by default',
    },
  ],
  flags: [
    {
      name: 'messages',
      value: 'N',
      meaning: `check the newest N messages; ${DRY_RUN_MESSAGES} by default`,
      check: (value) => void readWholeNumber('messages', value),
    },
  ],
  takesSettings: 'client',
  async runHere({ input, json, loaded }) {
    const max = input.messages === undefined ? DRY_RUN_MESSAGES : readWholeNumber('messages', input.messages);
    const found = await dryRun(makeRemote(loaded.settings), input.id, max);
    process.stdout.write(`${json ? writePlainJson(found) : showMatches(found)}\n`);
    return 0;
  },
};

export const ruleCommands = [ruleAdd, ruleSet, ruleList, ruleDelete, ruleDryRun];

interface Found {
  data: DryRunMatchView[];
  scanned: number;
}

interface DryRunPage extends Found {
  pagination: { next_cursor: string | null };
}

async function dryRun(remote: Remote, ruleId: string | undefined, max: number): Promise<Found> {
  const found: Found = { data: [], scanned: 0 };
  let cursor: string | null = null;
  do {
    const page: DryRunPage = await askJson(remote, 'POST', `${PATH}/dry_run`, { rule_id: ruleId, cursor });
    found.data.push(...page.data);
    found.scanned += page.scanned;
    cursor = page.pagination.next_cursor;
  } while (cursor !== null && found.scanned < max);
  return found;
}

async function saveRule(
  remote: Remote,
  method: 'POST' | 'PATCH',
  path: string,
  body: RuleBody,
  missing?: string,
): Promise<RuleView> {
  const asked = askJson<{ data: RuleView }>(remote, method, path, body, missing);
  const { data } = await asked.catch((fault) => {
    throw isAboutActions(fault, body) ? new OperatorError(NO_ACTION) : fault;
  });
  return data;
}

/** Whether the API refused a rule because it has no action. No single field is wrong then, so the API names the body. */
function isAboutActions(fault: unknown, body: RuleBody): boolean {
  if (!(fault instanceof RefusedRequest) || fault.code !== 'validation_error' || !fault.fields.body)
    return false;
  const { tags, mark_read, delete_after_days, forward_to, notify, stop } = body;
  return !(tags?.length || mark_read || delete_after_days || forward_to?.length || notify || stop);
}

async function askJson<Answer>(
  remote: Remote,
  method: string,
  path: string,
  body: object,
  missing?: string,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const answer = await remote.ask(path, { method, headers, body: JSON.stringify(body), missing });
  return (await answer.json()) as Answer;
}

function makePath(input: Input): string {
  return `${PATH}/${encodeURIComponent(given(input, 'id'))}`;
}

function describeMissing(input: Input): string {
  return `There is no rule ${given(input, 'id')}. postern rule list shows them.`;
}

type RuleBody = ReturnType<typeof makeBody>;

/** Leaves out flags that are not given. An empty value becomes null, which removes a condition. */
function makeBody(input: Input) {
  const text = (key: string) => (input[key] === '' ? null : input[key]);
  const flag = (key: string) => (input[key] === undefined ? undefined : input[key] === 'on');
  const list = (key: string) => input[key]?.split(',').flatMap((one) => one.trim() || []);
  const number = (flag: string) => {
    const key = makeInputKey(flag);
    return input[key] === undefined || input[key] === '' ? text(key) : readWholeNumber(flag, input[key]);
  };
  return {
    name: input.name,
    inbox_id: text('inbox'),
    from: text('from'),
    to: text('to'),
    subject: text('subject'),
    has_code: flag('has_code'),
    tags: list('tags'),
    mark_read: flag('mark_read'),
    delete_after_days: number('delete-after-days'),
    forward_to: list('forward_to'),
    notify: readNotice(input),
    stop: flag('stop'),
    position: number('position'),
    is_enabled: flag('enabled'),
  };
}

function readNotice({ notify_url, notify_template }: Input) {
  if (notify_url === '') return null;
  if ((notify_url === undefined) !== (notify_template === undefined))
    throw new UsageError('--notify-url and --notify-template go together');
  return notify_url === undefined ? undefined : { url: notify_url, template: notify_template };
}

function showRules(rules: readonly RuleView[]): string {
  if (rules.length === 0) return 'No rules.';
  const rows = rules.map((rule) => [
    String(rule.position),
    rule.id,
    rule.is_enabled ? 'on' : 'off',
    plainLine(rule.name || '-'),
    plainLine(listConditions(rule).join(', ') || 'every mail'),
    plainLine(listActions(rule).join(', ')),
  ]);
  return formatTable(['#', 'RULE', 'STATE', 'NAME', 'WHEN', 'THEN'], rows);
}

function listConditions({ inbox_id, inbox_address, from, to, subject, has_code }: RuleView): string[] {
  return [
    inbox_id !== null && `inbox ${inbox_address ?? `${inbox_id} (deleted)`}`,
    from !== null && `from ${from}`,
    to !== null && `to ${to}`,
    subject !== null && `subject ${subject}`,
    has_code !== null && (has_code ? 'a code' : 'no code'),
  ].filter((part) => part !== false);
}

function listActions({ tags, mark_read, delete_after_days, forward_to, notify, stop }: RuleView): string[] {
  return [
    tags.length > 0 && `tag ${tags.join(' ')}`,
    mark_read && 'mark read',
    delete_after_days !== null && `delete after ${delete_after_days} days`,
    forward_to.length > 0 && `forward to ${forward_to.join(' ')}`,
    notify !== null && `notify ${URL.parse(notify.url)?.host ?? ''}`,
    stop && 'stop',
  ].filter((part) => part !== false);
}

function showMatches({ data, scanned }: Found): string {
  const end = `${data.length} of ${scanned} messages match.`;
  if (data.length === 0) return end;
  const rows = data.map(({ message_id, from, subject, actions }) => [
    message_id,
    plainLine(from),
    plainLine(subject),
    plainLine(
      actions
        .map(({ action, detail, refused }) =>
          [action, detail, refused !== null && `(refused: ${refused})`].filter(Boolean).join(' '),
        )
        .join(', '),
    ),
  ]);
  return `${formatTable(['MESSAGE', 'FROM', 'SUBJECT', 'ACTIONS'], rows)}\n${end}`;
}
