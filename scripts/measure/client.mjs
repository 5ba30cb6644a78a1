/**
 * What the TypeScript client costs, under Node against a trap: `scripts/build-clients`, then
 * `node scripts/measure/client.mjs` with POSTERN_BIN. Prints the time to import it, what it adds to a wait that is
 * answered at once, and how many connections 200 waits side by side open and keep.
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { connect } from 'node:net';

const PAIRS = 1_000;
const WAITS = 200;
const built = new URL('../../dist/npm/client/dist/', import.meta.url);

const importing = Array.from({ length: 15 }, () => {
  const code = `const t = performance.now(); await import(${JSON.stringify(`${built}index.js`)}); console.log(performance.now() - t);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', code]).toString());
});
print('import', importing);

const { startPostern } = await import(`${built}server.js`);
const { Postern } = await import(`${built}index.js`);
const postern = await startPostern();
const address = 'measured@example.com';
await send(postern.smtp, address);

const inbox = postern.client.inbox(address);
const headers = { authorization: `Bearer ${postern.apiKey}` };
const url = `${postern.url}/api/v1/inboxes/${address}/messages/wait?since=0&require=otp&timeout=20`;
const raw = [];
const own = [];
for (let pair = 0; pair < PAIRS; pair++) {
  raw.push(await time(async () => (await fetch(url, { headers })).json()));
  own.push(await time(() => inbox.waitForCode({ claim: false })));
}
print('raw fetch', raw.slice(50));
print('waitForCode', own.slice(50));

let opened = 0;
const port = Number(new URL(postern.url).port);
const proxy = createServer((client) => {
  opened++;
  const server = connect(port, '127.0.0.1');
  client.pipe(server).pipe(client);
  for (const socket of [client, server]) socket.on('error', () => {});
});
await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
const client = new Postern({ url: `http://127.0.0.1:${proxy.address().port}`, apiKey: postern.apiKey });
for (const round of [1, 2]) {
  const startMs = performance.now();
  const boxes = Array.from({ length: WAITS }, (_, number) => `${round}-${number}@example.com`);
  const waits = boxes.map((box) => client.inbox(box).waitForCode());
  for (const box of boxes) await send(postern.smtp, box);
  await Promise.all(waits);
  const ms = Math.round(performance.now() - startMs);
  console.log(`${WAITS} waits, round ${round}: ${ms} ms with their mail, ${opened} connections opened so far`);
}
proxy.close();
await postern.stop();
process.exit(0);

async function time(run) {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

function print(what, samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(2);
  console.log(`${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

function send({ host, port }, to) {
  const lines = [
    'EHLO a',
    'MAIL FROM:<a@example.com>',
    `RCPT TO:<${to}>`,
    'DATA',
    'Subject: Sign in\r\n\r\nYour code is 493817.\r\n.',
    'QUIT',
  ];
  return new Promise((done, failed) => {
    const socket = connect(port, host).setEncoding('utf8');
    socket.on('data', (text) => {
      if (/^\d{3} /m.test(text) && lines.length > 0) socket.write(`${lines.shift()}\r\n`);
    });
    socket.on('error', failed).on('close', done);
  });
}
