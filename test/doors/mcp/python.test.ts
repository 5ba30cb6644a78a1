/** The MCP client of PyPI, which most agents written in Python use: over HTTP and through `postern mcp`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { installPython } from '../../peers/installed.ts';
import { runSteps } from '../../peers/python-steps.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { environment } from '../operator/command-process.ts';

const python = await installPython('mcp', ['mcp==2.3.0']);

describe.skipIf(python === null)('the MCP client for Python', () => {
  let appliance: RunningAppliance;
  let key: string;
  beforeAll(async () => {
    appliance = await startAppliance();
    ({ key } = await appliance.holder());
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  // The handshake of 2025, which most of today’s clients use, and the protocol of 2026.
  for (const mode of ['legacy', 'auto']) {
    for (const door of ['HTTP', 'stdio']) {
      test(`gets a code over ${door}, cancels a wait, and reads an error (${mode})`, async () => {
        const where = door === 'HTTP' ? [`${appliance.url}/mcp`, key] : ['--', ...program, 'mcp'];
        const script = `${import.meta.dir}/../../peers/mcp-client.py`;
        const env = environment({ POSTERN_URL: appliance.url, POSTERN_API_KEY: key });
        const result = await runSteps([`${python}/bin/python`, script, mode, ...where], env, async (step) => {
          if (step.address) {
            const raw = 'Subject: Your code\r\n\r\nYour verification code is 493817.\r\n';
            await sendMail({
              port: appliance.smtpPort,
              from: 'shop@example.org',
              to: [`${step.address}`],
              raw,
            });
          }
          if (step.gave_up) while (appliance.services.waits.slots.size > 0) await Bun.sleep(5);
        });
        expect(result).toMatchObject({ code: '493817', is_error: true, error: 'not_found' });
        expect(result.tools).toHaveLength(13);
        expect(result.progress).toBeGreaterThan(0);
      }, 90_000);
    }
  }
});
