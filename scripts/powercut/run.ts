/**
 * Power cuts. Postern is recorded on a file system that logs every change (crashfs/). Then the data folder is rebuilt as a
 * cut at any record would leave it, and Postern is started on it: everything that it had acknowledged must hold.
 */
import { buildCrashfs } from './build-crashfs.ts';
import { Chance } from './chance.ts';
import { MountRefused } from './crashfs.ts';
import { chooseCuts, type Plan, type Recording, type Stage } from './plan.ts';
import { backup } from './plans/backup.ts';
import { erase } from './plans/erase.ts';
import { firstStart } from './plans/first-start.ts';
import { checkpoint, load } from './plans/load.ts';
import { mailFiles } from './plans/mail-files.ts';
import { migrations } from './plans/migration.ts';
import { repack } from './plans/repack.ts';
import { restore } from './plans/restore.ts';
import { retention } from './plans/retention.ts';
import { secrets } from './plans/secrets.ts';
import { sending } from './plans/sending.ts';
import { upgrade } from './plans/upgrade.ts';
import { type Figures, replay } from './replay.ts';
import { type Variant, variants } from './simulate.ts';
import { Workplace } from './workplace.ts';

/** All plans. Those with few records come first, because their unused cuts go to `load`, which has enough records. */
export const plans: readonly Plan[] = [
  firstStart,
  ...migrations,
  upgrade,
  restore,
  backup,
  repack,
  erase,
  retention,
  mailFiles,
  secrets,
  sending,
  checkpoint,
  load,
];
/** Returns the plans that a name means: `all`, one of them, or what several names begin with, such as `migration`. */
export const choosePlans = (wanted: string): Plan[] =>
  plans.filter(({ name }) => wanted === 'all' || name === wanted || name.startsWith(`${wanted}-`));

const SMOKE = { cuts: 24, mails: 60, mutantCuts: 6 };
/** Lines printed about bad folders per plan; the figures count all. */
const FAULT_LINES_MAX = 20;
const SEED = 1;

export interface PowercutOptions {
  plan: string;
  cuts: number;
  variants: readonly Variant[];
  mails: number;
  jobs: number;
  isMutant: boolean;
  isSmoke: boolean;
}

/** Returns whether everything held; or, for a mutant, whether losses were found. */
export async function powercut(options: PowercutOptions): Promise<boolean> {
  const build = buildCrashfs();
  if ('missing' in build) return skip(build.missing);
  using work = Workplace.open();
  try {
    const { isSmoke } = options;
    const mails = isSmoke ? SMOKE.mails : options.mails;
    const run = new Run({ work, crashfs: build.executable, mails }, options);
    if (options.isMutant) return await run.findsLosses(isSmoke ? SMOKE.mutantCuts : options.cuts);
    const isClean = await run.all(isSmoke ? SMOKE.cuts : options.cuts);
    // A harness that can't fail proves nothing.
    return isSmoke ? (await run.findsLosses(SMOKE.mutantCuts)) && isClean : isClean;
  } catch (fault) {
    if (fault instanceof MountRefused) return skip(fault.message);
    throw fault;
  }
}

function skip(reason: string): boolean {
  console.log(`SKIPPED: no power cuts were tried: ${reason}.`);
  return true;
}

class Run {
  private readonly recordings = new Map<string, Recording>();

  constructor(
    private readonly stage: Stage,
    private readonly options: PowercutOptions,
  ) {}

  async all(cuts: number): Promise<boolean> {
    const chosen = choosePlans(this.options.plan);
    let isClean = true;
    let left = cuts;
    for (const [index, plan] of chosen.entries()) {
      const weights = chosen.slice(index).reduce((sum, { weight }) => sum + weight, 0);
      const figures = await this.cut(plan, Math.round((left * plan.weight) / weights), false);
      left -= figures.cuts;
      isClean &&= figures.faulty === 0;
    }
    return isClean;
  }

  async findsLosses(cuts: number): Promise<boolean> {
    const { lost } = await this.cut(load, cuts, true);
    if (lost === 0)
      console.error('Nothing was lost with four of five syncs dropped, so this harness detects nothing.');
    return lost > 0;
  }

  private async cut(plan: Plan, count: number, isMutant: boolean): Promise<Figures> {
    const began = performance.now();
    const recording = await this.recordingFor(plan);
    const cuts = chooseCuts(plan.cuts(recording), count, new Chance(SEED));
    let lines = 0;
    const figures = await replay(plan, recording, this.stage.work, {
      cuts,
      isMutant,
      variants: this.options.variants,
      jobs: this.options.jobs,
      onFaulty({ cut, op, variant, checked: { findings } }) {
        if (isMutant || lines++ >= FAULT_LINES_MAX) return;
        const faulty = { plan: plan.name, cut, op, variant, findings: findings.slice(0, 3) };
        console.error(JSON.stringify({ ...faulty, found: findings.length }));
      },
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    const name = isMutant ? `${plan.name}, four of five syncs of the log dropped` : plan.name;
    const used =
      Object.keys(variants).length === this.options.variants.length ? 'all' : this.options.variants;
    console.log(JSON.stringify({ plan: name, variants: used, ...figures, seconds }));
    return figures;
  }

  private async recordingFor(plan: Plan): Promise<Recording> {
    const known = this.recordings.get(plan.recording);
    if (known) return known;
    const recorded = await plan.record(this.stage);
    if (recorded.refused.length > 0) throw new Error(`the load was refused: ${recorded.refused[0]}`);
    this.recordings.set(plan.recording, recorded);
    return recorded;
  }
}
