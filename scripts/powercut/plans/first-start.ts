/** The first start, from no folder at all to the first mail, and the orderly stop after it. */
import { join } from 'node:path';
import { checkFolder } from '../check.ts';
import { openLoad } from '../load.ts';
import { findDelicateCuts, type Plan, type Recording, range, recordIn, type Stage } from '../plan.ts';
import { promisesAt } from '../promises.ts';
import { end, makeSettings, readDoors, serve } from '../server.ts';

const EMAIL = 'first@example.org';
const MAILS = 3;

async function record(stage: Stage): Promise<Recording> {
  return recordIn(stage, 'first-start', stage.work.folder('first-start-files'), async (fs) => {
    const settings = makeSettings(join(fs.mount, 'data'));
    const server = await serve(settings);
    await fs.mark({ is: 'ready' });
    const load = await openLoad(settings, EMAIL, fs);
    await load.makeInbox(server.ready.http);
    await load.run(readDoors(server), MAILS);
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return load.refused;
  });
}

export const firstStart: Plan = {
  name: 'first-start',
  meaning: 'from no folder at all to the first mail',
  recording: 'first-start',
  weight: 10,
  record,
  cuts: (recording) => {
    const last = recording.records.at(-1)!.n;
    return [findDelicateCuts(recording, 1, last), range(1, last)];
  },
  check: (folder, { marks }) => checkFolder({ folder, promises: promisesAt(marks, folder.n) }),
};
