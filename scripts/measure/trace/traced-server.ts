/**
 * A server for one client at a time, whose main process, parser and writer note the times of each mail. Takes the data
 * folder and `durable` or `thrown-away`; prints its port and an address, and ends when its input does.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startAppliance } from '../../../src/app/app.ts';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { ParserPool } from '../../../src/features/ingest/parser-pool.ts';
import { storeMail } from '../../../src/features/ingest/writes.ts';
import { createLog } from '../../../src/platform/core/log.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { Store } from '../../../src/platform/store/store.ts';
import { noteCommits } from './note-commits.ts';
import { Stamps } from './stamps.ts';

const [, , dataDir = '', kind = ''] = process.argv;
const nameStamps = (part: string) => join(dataDir, `${part}.stamps`);
traceMain(new Stamps(nameStamps('main')));
// The writer of a temporary store is in this thread.
if (kind === 'thrown-away') noteCommits(nameStamps('writer'));
else traceWriter();
const { settings, limits, plans, sources } = settingsFrom({
  toml: { http_listen: '127.0.0.1:0', smtp_listen: '127.0.0.1:0', data_dir: dataDir, limits: 'off' },
});
const appliance = await startAppliance({
  settings,
  limits,
  plans,
  sources,
  dataDir,
  isThrownAway: kind === 'thrown-away',
  key: randomBytes(32),
  log: createLog({
    form: 'json',
    level: 'warn',
    colour: false,
    write: (line) => process.stderr.write(line),
    nowUs: () => 0,
  }),
  program: [process.execPath, join(import.meta.dir, 'traced-parser.ts'), nameStamps('parser')],
});
const { api_key } = await createAccount(appliance.services, { email: 'bench@postern.test' });
const created = await fetch(`${appliance.http!.url}/api/v1/inboxes`, {
  method: 'POST',
  headers: { authorization: `Bearer ${api_key}` },
});
const { data } = (await created.json()) as { data: { address: string } };
console.log(JSON.stringify({ port: appliance.smtp[0]!.port, address: data.address }));
await Bun.stdin.text();
await appliance.stop();
process.exit(0);

/** Four times a mail: parsing begins, and ends, and so does storing. With one session at a time, none overlap. */
function traceMain(stamps: Stamps): void {
  const { parse } = ParserPool.prototype;
  const { write } = Store.prototype;
  ParserPool.prototype.parse = async function (...given) {
    stamps.note();
    const parsed = await parse.apply(this, given);
    stamps.note();
    return parsed;
  };
  Store.prototype.write = async function <Input, Output>(
    this: Store,
    ...given: Parameters<typeof write<Input, Output>>
  ) {
    const isMail = given[0].name === storeMail.name;
    if (isMail) stamps.note();
    const output = await write.apply<Store, typeof given, Promise<Output>>(this, given);
    if (isMail) {
      stamps.note();
      stamps.endRow();
    }
    return output;
  };
}

/** The store starts its thread by a file's name: this puts our file in its place. */
function traceWriter(): void {
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      const isWriter = String(url).includes('writer-thread');
      const file = isWriter ? join(import.meta.dir, 'traced-writer.ts') : url;
      super(file, isWriter ? { ...options, argv: [nameStamps('writer')] } : options);
    }
  };
}
