/** The audit log as lines of JSON, for an archive or another program. */
import { failField } from '../../platform/core/failure.ts';
import { writePlainJson } from '../../platform/core/plain-json.ts';
import { accountArgument } from './account.ts';
import type { LocalCommand } from './command.ts';
import { type ControlAnswer, settle } from './control.ts';
import { reportLostOutput } from './output.ts';
import type { AuditPage } from './transfer.ts';
import { type Ask, withServer } from './with-server.ts';

const SINCE_FORM = 'must be a date such as 2026-11-21, or a time such as 2026-11-21T08:00:00Z';

/** Returns microseconds since the epoch. A time without a zone is UTC. */
function readTime(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i.test(text);
  const hasZone = text.length === 10 || /(Z|[+-]\d\d:\d\d)$/i.test(text);
  const ms = isTime ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN;
  return Number.isNaN(ms) ? failField('since', SINCE_FORM) : ms * 1000;
}

const auditExport: LocalCommand = {
  name: 'audit export',
  meaning: 'print the audit log, oldest first: a JSON object per line, or one array with --json',
  flags: [
    { name: 'account', value: 'A', meaning: `only this account's entries: ${accountArgument.meaning}` },
    { name: 'since', value: 'T', check: readTime, meaning: 'only entries since this date or ISO time' },
  ],
  examples: [
    'postern audit export > audit.jsonl',
    'postern audit export --account ann@example.com --since 2026-11-01',
  ],
  async runHere({ input: { account, since }, json, loaded }) {
    const ofAccount: Record<string, string> = account === undefined ? {} : { account };
    await withServer(loaded, async (ask) => {
      const from: Record<string, string> =
        since === undefined ? { after: '0' } : { since: String(readTime(since)) };
      let page = await readPage(ask, { ...ofAccount, ...from });
      // The JSON array is written page by page, too: a long log must not fill the memory.
      let before = '[';
      while (page.last !== null) {
        const texts = page.entries.map((entry) => writePlainJson(entry));
        if (!json) await print(texts.map((text) => `${text}\n`).join(''));
        else if (texts.length > 0) {
          await print(before + texts.join(','));
          before = ',';
        }
        page = await readPage(ask, { ...ofAccount, after: String(page.last) });
      }
      if (json) await print(before === '[' ? '[]\n' : ']\n');
    });
    return 0;
  },
};

async function readPage(ask: Ask, query: Record<string, string>): Promise<AuditPage> {
  const answer = await ask(`/audit?${new URLSearchParams(query)}`);
  return settle((await answer.json()) as ControlAnswer).output as AuditPage;
}

/** Resolves when the pipe has accepted the text, so that output for a slow reader does not fill the memory. */
function print(text: string): Promise<void> {
  return new Promise((resolve) =>
    process.stdout.write(text, (fault) => (fault ? process.exit(reportLostOutput(fault)) : resolve())),
  );
}

export const auditCommands: readonly LocalCommand[] = [auditExport];
