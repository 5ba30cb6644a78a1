/** Sending and domains as an owner sees them: the API's own operations, used through a session. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SUPPRESSIONS } from '../../../src/features/outbound/suppression/sql.ts';
import { Sender } from '../../features/outbound/sender.ts';
import { startAppliance } from '../../start.ts';
import { explainPlan, suppressRecipient } from '../../store-state.ts';
import { member, owner, type Person, signInOwner } from './visitor.ts';

let sender: Sender;
let ann: Person;
let mia: Person;
let eve: Person;

beforeAll(async () => {
  sender = await Sender.start();
  const { appliance } = sender;
  ann = await signInOwner(appliance, sender.owner.account);
  [mia, eve] = [await member(appliance, ann.account), await owner(appliance)];
});
afterAll(() => sender[Symbol.asyncDispose]());

describe('sending', () => {
  test('shows each email with its recipients, newest first, and no other account’s', async () => {
    for (const subject of ['first', 'second']) await sender.send({ subject, to: ['ann@example.org'] });
    const page = (await ann.visitor.get('/emails?limit=1')).json;
    expect(page.data).toMatchObject([
      { subject: 'second', kind: 'send', recipients: [{ email: 'ann@example.org' }] },
    ]);
    const cursor = encodeURIComponent(page.pagination.next_cursor);
    expect((await mia.visitor.get(`/emails?limit=1&cursor=${cursor}`)).json.data).toMatchObject([
      { subject: 'first' },
    ]);
    expect((await eve.visitor.get('/emails')).json.data).toEqual([]);
    expect((await eve.visitor.get(`/emails?cursor=${cursor}`)).status).toBe(422);
    expect((await ann.visitor.get('/sending')).json.data).toMatchObject({
      is_on: true,
      is_in_plan: true,
      is_allowed: true,
      allowlist_on: false,
      recipients: { hour: 2, hour_max: 200, day: 2, day_max: 1_000 },
    });
  });

  test('lets the owner remove a suppression', async () => {
    suppressRecipient(sender.appliance, sender.owner.account.no, 'gone@example.org');
    expect((await mia.visitor.get('/suppressions')).json.data).toMatchObject([{ email: 'gone@example.org' }]);
    const at = `/suppressions/${encodeURIComponent('Gone@example.org')}`;
    expect((await mia.visitor.ask('DELETE', at)).status).toBe(403);
    expect((await eve.visitor.ask('DELETE', at)).status).toBe(404);
    expect((await ann.visitor.ask('DELETE', at)).status).toBe(200);
    expect((await ann.visitor.get('/suppressions')).json.data).toEqual([]);
  });

  test('shows suppressions page by page, in the order of their addresses', async () => {
    const { appliance, owner: other } = sender;
    const emails = ['ann@gone.test', 'bob@gone.test', 'cy@gone.test', 'zoë@gone.test'];
    for (const email of emails.toReversed()) suppressRecipient(appliance, other.account.no, email);
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, pagination } = (await mia.visitor.get(`/suppressions?limit=2${cursor}`)).json;
      found.push(...data.map(({ email }: { email: string }) => email));
      if (!pagination.has_more) break;
      expect(data).toHaveLength(2);
      cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
      expect((await eve.visitor.get(`/suppressions?limit=2${cursor}`)).status).toBe(422);
      expect((await mia.visitor.get(`/emails?limit=2${cursor}`)).status).toBe(422);
    }
    expect(found).toEqual(emails);
    expect((await ann.visitor.get('/suppressions?limit=101')).status).toBe(422);
    // In the order of the primary key, so a page costs the same wherever it is in the list.
    expect(explainPlan(appliance, SUPPRESSIONS)).toBe(
      'SEARCH suppression USING PRIMARY KEY (account_no=? AND email>?)',
    );
  });

  test('lets the owner manage the allowlist by the API’s own rules', async () => {
    const added = await ann.visitor.post('/outbound_allowlist', { email: 'bob@example.org' });
    expect(added.status).toBe(201);
    expect((await ann.visitor.post('/outbound_allowlist', { email: 'bob@example.org' })).status).toBe(409);
    await ann.visitor.post('/outbound_allowlist/mode', { enabled: true });
    expect((await ann.visitor.get('/sending')).json.data.allowlist_on).toBe(true);
    expect((await sender.send()).json.error.code).toBe('recipient_not_approved');
    expect((await mia.visitor.post('/outbound_allowlist/mode', { enabled: false })).status).toBe(403);
    const gone = await ann.visitor.ask('DELETE', `/outbound_allowlist/${added.json.data.id}`);
    expect(gone.status).toBe(204);
  });

  test('does not exist when the operator has turned it off', async () => {
    await using quiet = await startAppliance();
    const { visitor } = await owner(quiet);
    expect((await visitor.get('/sending')).json.data.is_on).toBe(false);
    for (const path of ['/emails', '/suppressions', '/outbound_allowlist']) {
      expect((await visitor.get(path)).status).toBe(404);
    }
  });
});

describe('domains', () => {
  test('show their records, with what the DNS says, as lines to paste', async () => {
    const created = (await ann.visitor.post('/domains', { name: 'in.example.net' })).json.data;
    const { data } = (await ann.visitor.get(`/domains/${created.id}/records`)).json;
    expect(data).toMatchObject([
      { purpose: 'ownership', type: 'TXT', host: '_postern-challenge.in.example.net', ok: null },
      {
        purpose: 'mx',
        type: 'MX',
        value: 'mx.postern.test',
        zone_line: 'in.example.net. IN MX 10 mx.postern.test.',
      },
    ]);
    expect((await eve.visitor.get(`/domains/${created.id}/records`)).status).toBe(404);
    expect((await eve.visitor.post(`/domains/${created.id}/verify`)).status).toBe(404);
    expect((await mia.visitor.ask('DELETE', `/domains/${created.id}`)).status).toBe(403);
    expect((await ann.visitor.ask('DELETE', `/domains/${created.id}`)).status).toBe(204);
  }, 30_000);
});
