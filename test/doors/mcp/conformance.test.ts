/** The conformance suite of the protocol’s authors, against a capture, since the suite can’t send a key. */
import { describe, expect, test } from 'bun:test';
import { installNpm } from '../../peers/installed.ts';
import { runTool } from '../../peers/tools.ts';
import { startAppliance } from '../../start.ts';

const suite = await installNpm('conformance', ['@modelcontextprotocol/conformance@0.1.16']);

const PASSED = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

/** Scenarios that call a tool, resource or prompt of a made-up server by its name, or a capability that we lack. */
const NOT_OURS: Record<string, string> = {
  'logging-set-level': 'we send no log messages',
  'completion-complete': 'no argument has completions',
  'tools-call-': 'calls tools such as test_simple_text; tools.test.ts calls ours, their errors and progress',
  'json-schema-2020-12': 'looks for a tool of that name',
  'elicitation-': 'no tool asks the user',
  'resources-': 'mail is read by tools: a resource has no wait and no search',
  'prompts-': 'we have no prompts',
};

describe.skipIf(suite === null)('the conformance suite', () => {
  test('passes in every scenario that applies to us', async () => {
    await using appliance = await startAppliance({ capture: {} });
    const script = `${suite}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
    // With Bun: it needs a newer Node than Debian has.
    const command = [process.execPath, script, 'server', '--url', `${appliance.url}/mcp`, '--suite', 'all'];
    const { output } = await runTool(command, '', 60_000);
    const results = [...output.matchAll(/^([✓✗]) ([a-z0-9-]+): (\d+) passed, (\d+) failed$/gm)];
    const ours = results.filter(
      ([, , name]) => !Object.keys(NOT_OURS).some((start) => name!.startsWith(start)),
    );
    expect(ours.map(([line]) => line).filter((line) => !line.startsWith('✓'))).toEqual([]);
    expect(ours.map(([, , name]) => name!).sort()).toEqual(PASSED.toSorted());
  });
});
