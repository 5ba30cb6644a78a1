/** Who may use MCP: the API's keys, limits and rules about web pages. */
import { describe, expect, test } from 'bun:test';
import { type Reply, type RunningAppliance, startAppliance } from '../../start.ts';
import { Mailbox } from '../smtp/mailbox.ts';
import { Agent } from './agent.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ACCEPT = { accept: 'application/json, text/event-stream' };

function post(
  appliance: RunningAppliance,
  { key, body = LIST, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> },
): Promise<Reply> {
  const request = { body, headers: { ...ACCEPT, ...headers }, ...(key !== undefined && { key }) };
  return appliance.request('POST', '/mcp', request);
}

describe('on a server', () => {
  test('MCP needs a key, and a revoked one stops working at once', async () => {
    await using appliance = await startAppliance();
    expect((await post(appliance, {})).status).toBe(401);
    expect((await post(appliance, { key: 'pst_live_wrong' })).status).toBe(401);
    const { key } = await appliance.holder();
    expect((await post(appliance, { key })).status).toBe(200);
    await expect(Agent.overHttp(appliance.url, 'pst_live_wrong')).rejects.toThrow();
  });

  test('MCP answers only POST, and 404 where it is off', async () => {
    await using appliance = await startAppliance();
    const { key } = await appliance.holder();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await appliance.request(method, '/mcp', { key });
      expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    }
    await using off = await startAppliance({ settings: { mcp: 'off' } });
    expect((await post(off, { key: (await off.holder()).key })).status).toBe(404);
  });

  test('a tool call counts against the limits of the key, and a refusal says when to try again', async () => {
    await using appliance = await startAppliance({ settings: { limit_requests_per_minute: '6' } });
    const box = await Mailbox.open(appliance);
    await using agent = await Agent.overHttp(appliance.url, box.holder.key);
    let refused: Record<string, unknown> | undefined;
    for (let count = 0; count < 6 && !refused; count++) {
      const answer = await agent
        .use('list_inboxes')
        .catch((fault: Error) => ({ isError: true, json: { error: { code: fault.message } } }));
      if (answer.isError) refused = answer.json.error;
    }
    expect(JSON.stringify(refused)).toMatch(/rate_limited|429/);
  });

  test('MCP refuses a body that is too large, and answers nonsense with an error', async () => {
    await using appliance = await startAppliance();
    const { key } = await appliance.holder();
    expect((await post(appliance, { key, body: ' '.repeat(2 * 1024 * 1024 + 1) })).status).toBe(413);
    for (const body of [
      '',
      '{',
      '[]',
      '7',
      '{"jsonrpc":"2.0"}',
      '\u0000',
      '{"jsonrpc":"2.0","id":1,"method":"nope"}',
    ]) {
      const { status } = await post(appliance, { key, body });
      expect({ body, isServerError: status >= 500 }).toEqual({ body, isServerError: false });
    }
    expect(appliance.logged).toEqual([]);
  });
});

describe('in capture', () => {
  test('MCP needs no key on this machine, but refuses pages of other sites by Origin and by Host', async () => {
    await using appliance = await startAppliance({ capture: {} });
    expect((await post(appliance, {})).status).toBe(200);
    expect((await post(appliance, { headers: { origin: 'https://evil.example' } })).status).toBe(401);
    expect((await post(appliance, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(401);
    expect((await post(appliance, { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test('a tool that is called without a key acts for the capture account', async () => {
    await using appliance = await startAppliance({ capture: {} });
    await using agent = await Agent.overHttp(appliance.url);
    const { json } = await agent.use('wait_for_code', { inbox: 'anyone@nowhere.example', timeout: 1 });
    expect(json.found).toBe(false);
  });

  test('an origin that is allowed may call with a key', async () => {
    const origin = 'http://localhost:3000';
    await using appliance = await startAppliance({ capture: {}, settings: { cors_origins: origin } });
    const { status, headers } = await post(appliance, { key: appliance.apiKey!, headers: { origin } });
    expect({ status, allowed: headers.get('access-control-allow-origin') }).toEqual({
      status: 200,
      allowed: origin,
    });
  });
});
