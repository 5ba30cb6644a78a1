/**
 * Another account's ids, cursors, addresses and names, in every text that a request can have: each parameter of a query and
 * each field of a body, over every route of the API and of the dashboard. The answer must be the one to a value that does not
 * exist, without anything of the other account, and nothing of that account may change.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { routes as apiRoutes } from '../../src/app/routes.ts';
import { dashboardRoutes } from '../../src/doors/dashboard/routes.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { type Person, signInOwner } from '../doors/dashboard/visitor.ts';
import { Sender, sending } from '../features/outbound/sender.ts';
import { setTrap } from '../features/traps/shared-trap.ts';
import { type Reply, type RunningAppliance, startAppliance } from '../start.ts';
import { findExample, type Own } from './route-examples.ts';

/** In each text of the other account. */
const MARK = 'zebra-crossing';

/** Each text is sent in an email. */
const roomy = {
  plan_business_outbound_recipients_per_hour: '10000',
  plan_business_outbound_recipients_per_day: '10000',
  plan_business_outbound_queued: '10000',
};

interface Customer {
  sender: Sender;
  person: Person;
  own: Own;
  /** What names something of the account. */
  names: Record<string, string>;
  /** A place in each of its lists, and one of its ids. */
  cursors: Record<string, string>;
}

let appliance: RunningAppliance;
let ours: Customer;
let theirs: Customer;
/** For each name of theirs, one of the same form that names nothing. */
let unknown: Record<string, string>;
let before: Record<string, string>;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { ...sending, ...roomy } });
  // The first account is the operator's, who may see more.
  await appliance.holder();
  ours = await makeCustomer('ours.example', 'plain');
  theirs = await makeCustomer('theirs.example', MARK);
  const all = Object.entries({ ...theirs.names, ...theirs.cursors });
  unknown = Object.fromEntries(all.map(([kind, name]) => [kind, invent(name)]));
  before = await readAll(theirs);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** Creates an account with two of everything, so that each list has a second page. */
async function makeCustomer(domain: string, text: string): Promise<Customer> {
  const sender = await Sender.join(appliance, domain);
  await setTrap(appliance, sender.owner, true);
  const person = await signInOwner(appliance, sender.owner.account);
  const make = async (path: string, body: unknown, method = 'POST') => {
    const reply = await appliance.request(method, `/api/v1${path}`, { key: sender.owner.key, body });
    if (reply.status >= 400) throw new Error(`${path}: ${reply.text}`);
    return reply.json.data;
  };
  const hook = { url: `https://${text}.example.com/`, events: ['email.received'] };
  const email = { from_address: `desk@${domain}`, to: ['b@example.org'], subject: text, body_text: text };
  const inbox = await make('/inboxes', { label: text, metadata: { text }, domain: sender.domainId });
  await make(`/inboxes/${inbox.id}/webhook`, { url: hook.url }, 'PUT');
  const ids: Record<string, string> = {};
  for (let count = 0; count < 2; count++) {
    ids.webhook = (await make('/webhooks', hook)).id;
    ids.outbound = (await make('/outbound_emails', email)).id;
    ids.approved = (await make('/outbound_allowlist', { email: `${text}${count}@example.org` })).id;
    ids.rule = (await make('/rules', { subject: text, tags: ['x'] })).id;
    ids.message = await appliance.deliver(inbox.address, {
      subject: text,
      otp: text,
      tags: [text],
      content: { text, attachments },
      attachment_count: 1,
      raw: `Subject: ${text}\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n${text}\r\n`,
    });
  }
  const { id, address } = inbox;
  const own = { ...(ids as unknown as Own), inbox: id, address, domain: sender.domainId };
  const names = await collectNames(sender, person, own);
  return { sender, person, own, names, cursors: await collectCursors(sender, own) };
}

const attachments = [
  { index: 0, filename: 'a.txt', content_type: 'text/plain', size: 5, content_id: null, inline: false },
];

async function collectNames(
  sender: Sender,
  { visitor, account }: Person,
  own: Own,
): Promise<Record<string, string>> {
  const [event] = (await sender.get('/events')).json.data;
  const [member] = (await visitor.get('/members')).json.data;
  const [key] = (await visitor.get('/keys')).json.data;
  const [session] = (await visitor.get('/sessions')).json.data;
  return {
    ...own,
    thread: own.message.replace('msg_', 'thr_'),
    desk: sender.inbox.address,
    event: event.id,
    account: account.id,
    email: account.email!,
    user: member.user_id,
    key: key.key_id,
    session: session.id,
  };
}

async function collectCursors(sender: Sender, own: Own): Promise<Record<string, string>> {
  const found: Record<string, string> = { 'an id': own.message };
  for (const route of apiRoutes.filter(({ query }) => 'cursor' in query)) {
    const { json } = await sender.get(`${readApiPath(route, own)}?limit=1`);
    const next = json.pagination?.next_cursor;
    if (next) found[`the cursor of ${route.name}`] = next;
  }
  // The domains, what is withheld and a thread have one page.
  expect(Object.keys(found).length).toBeGreaterThan(8);
  return found;
}

const readApiPath = (route: Route, own: Own) => findExample(route).path(own).slice('/api/v1'.length);

/** Changes a part of a name, so that it keeps its form and its length. */
const invent = (name: string) =>
  name.includes('@') ? `zz${name.slice(2)}` : `${name.slice(0, 10)}abcdef0123${name.slice(20)}`;

/** A text of a request: a parameter of the query, or the path of a field in the body. */
type Place = { name: string; query: string } | { name: string; body: readonly string[] };

interface Schema {
  type?: string | string[];
  $ref?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  $defs?: Record<string, Schema>;
}

const readSchema = (body: z.ZodType) =>
  z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;

function listPlaces({ query, body, waits }: Route): Place[] {
  // With any other parameter, a wait would wait.
  const names = Object.keys(query).filter((name) => !waits || name === 'since');
  const inQuery = names.map((name) => ({ name: `?${name}`, query: name }));
  if (!body) return inQuery;
  const schema = readSchema(body);
  const texts = listTexts(schema, schema.$defs ?? {});
  return [...inQuery, ...texts.map((path) => ({ name: path.join('.'), body: path }))];
}

/** Returns the paths of a body's texts; `[]` is an item of an array. */
function listTexts(schema: Schema, defs: Record<string, Schema>): string[][] {
  const { type, $ref, anyOf, properties, items } = schema;
  const below = (name: string, inner: Schema) => listTexts(inner, defs).map((path) => [name, ...path]);
  if ($ref) return listTexts(defs[$ref.replace('#/$defs/', '')]!, defs);
  if (anyOf) return anyOf.flatMap((one) => listTexts(one, defs));
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => below(name, inner));
  if (items) return below('[]', items);
  return [type].flat().includes('string') && !schema.enum ? [[]] : [];
}

/** What a field can't be without. */
const beside: Record<string, object> = {
  message_id: { index: 0 },
  template: { url: 'https://example.com/' },
  // In a trap, an earlier request has made an inbox of each address, and a rule of only one of them.
  forward_to: { inbox_id: null },
};

function put(body: unknown, [name, ...rest]: readonly string[], value: string): unknown {
  if (name === undefined) return value;
  const old = body as Record<string, unknown> | undefined;
  return name === '[]'
    ? [put(undefined, rest, value)]
    : { ...old, ...beside[name], [name]: put(old?.[name], rest, value) };
}

/** Instead of an example that leaves the ids beside it unread. */
const bodies: Record<string, object> = { setCatchAll: { catch_all: true } };

/** The example of the API's route, or what a route that only the dashboard has requires besides texts. */
function makeBody(route: Route): unknown {
  const mirrored = { ...route, name: route.name.replace('dashboard.', '') };
  const body = bodies[mirrored.name] ?? findExample(mirrored).body;
  if (body) return JSON.parse(JSON.stringify(body).replace('one.example', 'ours.example'));
  const { properties = {}, required = [] } = route.body ? readSchema(route.body) : {};
  const switches = required.filter((name) => properties[name]?.type === 'boolean');
  return route.body ? Object.fromEntries(switches.map((name) => [name, true])) : undefined;
}

async function send(route: Route, place: Place, value: string): Promise<Reply> {
  const isPage = route.path.startsWith('/dashboard/');
  const mirrored = { ...route, name: route.name.replace('dashboard.', '') };
  const path = isPage ? fillPage(route) : findExample(mirrored).path(ours.own);
  const query = 'query' in place ? `?${place.query}=${encodeURIComponent(value)}` : '';
  const body = 'body' in place ? put(makeBody(route), place.body, value) : makeBody(route);
  if (isPage) return ours.person.visitor.ask(route.method, path + query, body);
  return appliance.request(route.method, path + query, { key: ours.sender.owner.key, body });
}

/** The path of a dashboard's route, with what is ours in it. */
function fillPage({ path }: Route): string {
  const { own } = ours;
  const ids: Record<string, string> = {
    inboxes: own.inbox,
    webhooks: own.inbox,
    messages: own.message,
    domains: own.domain,
    rules: own.rule,
    'account-webhooks': own.webhook,
    outbound_emails: own.outbound,
    index: '0',
    threads: own.message.replace('msg_', 'thr_'),
    message_id: own.message,
  };
  const parts = path.split('/').slice(3);
  const filled = parts.map((part, at) =>
    part.startsWith(':') ? (ids[part === ':id' ? parts[at - 1]! : part.slice(1)] ?? 'x') : part,
  );
  return `/${filled.join('/')}`;
}

/** What an answer reveals about a value: its status, its error, and whether it has rows. */
function outline({ status, json }: Reply, value: string): string {
  const { request_id: _, ...error } = json?.error ?? {};
  const rows = Array.isArray(json?.data) ? json.data.length > 0 : Object.keys(json?.data ?? {});
  const text = JSON.stringify([status, rows, error]);
  return text.replaceAll(value, '…').replaceAll(value.toLowerCase(), '…');
}

/** Deliveries of webhooks are retried meanwhile, and counted. */
const changing = /Webhooks?$|Deliveries$|^getAccount$/;

/** Reads everything of a customer with its own key. */
async function readAll({ sender, own }: Customer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const reads = apiRoutes.filter(({ method, auth, waits }) => method === 'GET' && auth === 'key' && !waits);
  for (const route of reads.filter(({ name }) => !changing.test(name))) {
    const { status, text } = await sender.get(readApiPath(route, own));
    found[route.name] = `${status} ${text.replace(/"next_cursor":"[^"]+"|req_\w+/, '')}`;
  }
  return found;
}

/** Secrets and passwords name nothing, operators see every account, and the live stream only takes a number. */
const leftOut =
  /^operator|Live$|Sign(In|Up)|Invite$|ByInvite|SetUp$|Passkey|SecondFactor|RecoveryCodes|Password$/;

const routes: Route[] = [
  ...apiRoutes.filter(({ auth }) => auth === 'key'),
  ...dashboardRoutes.filter(({ path, name }) => path.startsWith('/dashboard/api/') && !leftOut.test(name)),
].filter((route) => listPlaces(route).length > 0);

describe('another account’s names are answered like names of nothing', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'in %s',
    async (_, route) => {
      for (const place of listPlaces(route)) {
        const isCursor = place.name.endsWith('cursor');
        for (const [kind, value] of Object.entries(isCursor ? theirs.cursors : theirs.names)) {
          const asked = `${kind} as ${place.name}`;
          const foreign = await send(route, place, value);
          const invented = unknown[kind]!;
          const missing = outline(await send(route, place, invented), invented);
          expect([asked, outline(foreign, value)]).toEqual([asked, missing]);
          const shown = [MARK, ...Object.values(theirs.names)].filter((name) => !value.includes(name));
          expect([asked, shown.filter((name) => foreign.text.includes(name))]).toEqual([asked, []]);
        }
      }
    },
  );

  test('and nothing of theirs has changed', async () => expect(await readAll(theirs)).toEqual(before));
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
