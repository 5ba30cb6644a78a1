/** The command line of `scripts/torture powercut`. */
import { parseArgs } from 'node:util';
import { choosePlans, type PowercutOptions, plans } from './run.ts';
import { type Variant, variants } from './simulate.ts';

const DEFAULTS = {
  plan: 'all',
  cuts: '200',
  mails: '600',
  jobs: '2',
  variants: Object.keys(variants).join(),
};

export function readPowercutArguments(args: string[]): PowercutOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      plan: { type: 'string', default: DEFAULTS.plan },
      cuts: { type: 'string', default: DEFAULTS.cuts },
      mails: { type: 'string', default: DEFAULTS.mails },
      jobs: { type: 'string', default: DEFAULTS.jobs },
      variants: { type: 'string', default: DEFAULTS.variants },
      mutant: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
    },
  });
  const [cuts, mails, jobs] = [values.cuts, values.mails, values.jobs].map(Number) as [
    number,
    number,
    number,
  ];
  const chosen = values.variants.split(',');
  const isPlan = choosePlans(values.plan).length > 0;
  const areNumbers = [cuts, mails, jobs].every((number) => Number.isInteger(number) && number > 0);
  // Only the plan `load` has a mutant.
  if (values.mutant && !['all', 'load'].includes(values.plan)) return null;
  if (!isPlan || !areNumbers || !chosen.every((name) => name in variants)) return null;
  return {
    plan: values.plan,
    cuts,
    mails,
    jobs,
    variants: chosen as Variant[],
    isMutant: values.mutant,
    isSmoke: values.smoke,
  };
}

export const powercutUsage = `  powercut   Records Postern on a file system that logs every change (Go and FUSE), rebuilds the folder as a power
             cut at N records (200) would leave it, in each variant, and starts Postern on it. Exit 1 when anything
             that was answered is lost, duplicated, incomplete or damaged, or the server does not start. Without
             FUSE it prints SKIPPED and why. --mutant drops four of five syncs of the log and must find losses.
             --smoke is a short run of both. Plans (--plan; all; migration: both):
${plans.map(({ name, meaning }) => `               ${name.padEnd(15)} ${meaning}`).join('\n')}
             Variants (--variants; all of them):
${Object.entries(variants)
  .map(([name, meaning]) => `               ${name.padEnd(15)} ${meaning}`)
  .join('\n')}`;
