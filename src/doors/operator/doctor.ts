import { flag } from '../../features/doctor/check.ts';
import type { Finding } from '../../features/doctor/wire.ts';
import { readReason } from '../../platform/core/thrown.ts';
import type { StoreCommand } from './command.ts';
import { FAILED } from './exit-status.ts';

export const doctor: StoreCommand = {
  name: 'doctor',
  meaning: 'check the store, the machine, the DNS and the certificate, and send itself a mail',
  flags: [{ name: 'strict', meaning: 'exit 1 if any check fails' }],
  exits: { [FAILED]: 'failed; with --strict also when a check fails' },
  examples: ['postern doctor', 'postern doctor --json --strict'],
  async run({ services }): Promise<{ checks: Finding[] }> {
    return { checks: await services.doctor.examine() };
  },
  // Checks never throw, so an error means that the store could not be opened.
  cannotOpen: (fault) => ({ checks: [{ name: 'store', ...flag(readReason(fault)) }] }),
  show: ({ checks }: { checks: Finding[] }) => {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map(
      ({ name, ok, detail }) => `${ok ? 'ok ' : 'BAD'}  ${name.padEnd(width)}  ${detail}`,
    );
    const wrong = checks.filter(({ ok }) => !ok).length;
    lines.push(
      '',
      wrong === 0 ? 'All checks passed.' : `${wrong} of ${checks.length} checks need attention.`,
    );
    return lines.join('\n');
  },
  failed: ({ checks }: { checks: Finding[] }, input) =>
    input.strict !== undefined && checks.some(({ ok }) => !ok),
};
