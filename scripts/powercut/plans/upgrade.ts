/** `install.sh` upgrades an installed version. Whenever the power fails, systemd has a whole version to start. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeRelease } from '../../../test/install-world.ts';
import { Findings } from '../findings.ts';
import {
  type CutFolder,
  findSteps,
  type Plan,
  type Recording,
  range,
  recordIn,
  type Stage,
} from '../plan.ts';

const PROGRAM = 'usr/local/bin/postern';
const UNIT = 'etc/systemd/system/postern.service';

interface UpgradeRecording extends Recording {
  old: Buffer;
  fresh: Buffer;
  unit: Buffer;
}

async function record(stage: Stage): Promise<UpgradeRecording> {
  const { work } = stage;
  const [one, two] = ['1.0', '2.0'].map((version) => makeRelease(work.folder(`release-${version}`), version));
  const files = work.folder('upgrade-files');
  install(one!, files);
  // Folders without a file are not part of a recording's start.
  for (const empty of ['var', 'usr/local/share'])
    rmSync(join(files, empty), { recursive: true, force: true });
  const recording = await recordIn(stage, 'upgrade', files, async (fs) => {
    install(two!, fs.mount);
    await fs.mark({ is: 'step', step: 'end' });
    return [];
  });
  const [old, fresh] = [one!, two!].map((release) => readFileSync(join(release, 'postern'))) as [
    Buffer,
    Buffer,
  ];
  return { ...recording, old, fresh, unit: readFileSync(join(two!, 'systemd/postern.service')) };
}

function install(release: string, to: string): void {
  const env = { PATH: process.env.PATH, DESTDIR: to };
  const { exitCode, stderr } = Bun.spawnSync(['sh', 'install.sh'], { cwd: release, env, stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`install.sh ended with ${exitCode}: ${stderr}`);
}

async function check({ root, n }: CutFolder, recording: Recording) {
  const { old, fresh, unit } = recording as UpgradeRecording;
  const findings = new Findings();
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path)) : null);
  const program = read(PROGRAM);
  const isDone = findSteps(recording, 'end')[0]! <= n;
  if (!program || !(program.equals(fresh) || (program.equals(old) && !isDone)))
    findings.add('notStarted', `${PROGRAM} has ${program?.length} bytes and is not a whole version`);
  if (!read(UNIT)?.equals(unit)) findings.add('notStarted', `${UNIT} is not whole`);
  return { findings: findings.all, mails: 0, compared: 1 };
}

export const upgrade: Plan = {
  name: 'upgrade',
  meaning: 'install.sh upgrades an installed version',
  recording: 'upgrade',
  weight: 5,
  record,
  cuts: (recording) => [range(1, recording.records.at(-1)!.n)],
  check,
};
