/** Starts Postern on a folder as a power cut left it, and checks everything that it has promised. */
import { join } from 'node:path';
import type { Serving } from '../../test/doors/operator/command-process.ts';
import { withoutTrace } from '../../test/doors/smtp/mailbox.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { SENDER } from '../storm/stage.ts';
import { Chance } from './chance.ts';
import { type Checked, Findings } from './findings.ts';
import { hasLink, makeCode, makeLink, makeMail, readNumber } from './mails.ts';
import type { CutFolder } from './plan.ts';
import { nameCopy, type Promises } from './promises.ts';
import { Api, CHECKED_MS_MAX, end, makeSettings, readSmtpPort, serve } from './server.ts';
import { checkKey, checkQueues, checkSound, countRows, withStore } from './store-look.ts';

/** How many mails are compared byte for byte: the latest, and some others. A thorough check compares all, and searches. */
const COMPARED = { newest: 25, others: 15 };
const SEARCHED = 3;
/** Probability of checks that cost as much as all others together. */
const LIKELY = { thorough: 0.1, takesMail: 0.25 };
const SEARCH_MS_MAX = 10_000;
/** A number that no load reaches. */
const MAIL_AFTER = 9_000_001;
const DETAIL_CHARACTERS = 300;

export interface CheckOptions {
  /** What must hold; a function if that depends on which store the server has. */
  promises: Promises | ((server: Serving, findings: Findings) => Promise<Promises | null>);
  folder: CutFolder;
  /** Probability of a second start of the server; 1 by default. */
  secondStartLikely?: number;
  /** Inspects the folder while the first server runs. */
  inspect?: (dataDir: string, findings: Findings) => void;
}

/** Checks a folder, and changes it. */
export async function checkFolder(options: CheckOptions): Promise<Checked> {
  const { root, n, turn } = options.folder;
  const dataDir = join(root, 'data');
  const chance = new Chance(n + turn);
  const findings = new Findings();
  const checked = { findings: findings.all, mails: 0, compared: 0 };
  const first = await start(dataDir, findings, 'the server does not start');
  if (!first) return checked;
  let rows: Record<string, number> = {};
  try {
    await checkRunning(first, { dataDir, chance, findings, checked }, options);
    rows = withStore(join(dataDir, 'postern.db'), countRows);
  } catch (fault) {
    findings.add('other', `the check failed: ${shorten(fault)}`);
  } finally {
    await end(first, 'SIGKILL');
  }
  if (chance.isLikely(options.secondStartLikely ?? 1)) await startAgain(dataDir, rows, findings);
  return checked;
}

interface Check {
  dataDir: string;
  chance: Chance;
  findings: Findings;
  checked: Checked;
}

async function checkRunning(server: Serving, check: Check, { promises: given, inspect }: CheckOptions) {
  const { dataDir, chance, findings, checked } = check;
  const promises = typeof given === 'function' ? await given(server, findings) : given;
  if (!promises) return;
  checked.mails = promises.mails.size;
  const copies = promises.keys.length === 0 ? new Map() : await checkApi(server, promises, check);
  withStore(join(dataDir, 'postern.db'), (store) => {
    checkSound(store, findings);
    checkKey(dataDir, store, findings);
    checkQueues(store, promises, mapIds(copies), findings);
  });
  inspect?.(dataDir, findings);
  const address = [...promises.inboxes].find(([id]) => !promises.inboxesGoing.has(id))?.[1];
  if (address && chance.isLikely(LIKELY.takesMail)) await checkAcceptsMail(server, address, findings);
}

/** After the cut and a kill: nothing has disappeared, and the server stops properly. */
async function startAgain(dataDir: string, rows: Record<string, number>, findings: Findings): Promise<void> {
  const second = await start(dataDir, findings, 'the server does not start a second time');
  if (!second) return;
  try {
    const now = withStore(join(dataDir, 'postern.db'), countRows);
    const fewer = Object.keys(rows).filter((name) => (now[name] ?? 0) < rows[name]! && isKept(name));
    if (fewer.length > 0) findings.add('lost', `at the second start there are fewer rows in ${fewer.join()}`);
  } catch (fault) {
    findings.add('other', `the second check failed: ${shorten(fault)}`);
  } finally {
    const status = await end(second, 'SIGTERM');
    if (status !== 0) findings.add('other', `the server ended with ${status}`);
  }
}

/** A start and its jobs remove unfinished mails and expired rows. */
function isKept(table: string): boolean {
  return /^(account|user|api_key|inbox|message|webhook|outbound_email|domain)$/.test(table);
}

async function start(dataDir: string, findings: Findings, what: string): Promise<Serving | null> {
  try {
    return await serve(makeSettings(dataDir), CHECKED_MS_MAX);
  } catch (fault) {
    findings.add('notStarted', `${what}: ${shorten(fault)}`);
    return null;
  }
}

interface Listed {
  id: string;
  subject: string | null;
  otp: string | null;
  magic_link: string | null;
}

type Copies = Map<string, Listed[]>;

async function checkApi(
  server: Serving,
  promises: Promises,
  { chance, findings, checked }: Check,
): Promise<Copies> {
  const api = new Api(server.ready.http, promises.keys[0]!);
  for (const [index, key] of promises.keys.entries()) {
    const { status } = await new Api(server.ready.http, key).call('GET', '/account');
    if (status !== 200) findings.add('lost', `key ${index + 1} is answered ${status}`);
    if (status !== 200 && index === 0) return new Map();
  }
  const inboxes = await checkInboxes(api, promises, findings);
  const copies = await readCopies(api, inboxes, findings);
  checkMails(promises, copies, findings);
  const isThorough = chance.isLikely(LIKELY.thorough);
  const sample = isThorough ? [...copies.keys()] : pickSample([...copies.keys()], promises, chance);
  await Promise.all(sample.map((copy) => compare(api, copy, copies.get(copy)![0]!, findings)));
  checked.compared = sample.length;
  if (isThorough) {
    for (const copy of chance.sample([...copies.keys()], SEARCHED)) {
      await searchFor(api, copy, copies.get(copy)![0]!.id, findings);
    }
  }
  return copies;
}

/** Returns the promised inboxes that exist. */
async function checkInboxes(api: Api, promises: Promises, findings: Findings): Promise<string[]> {
  const listed: { id: string; address: string }[] = await api.all('/inboxes');
  const have = new Map(listed.map(({ id, address }) => [id, address]));
  for (const [id, address] of promises.inboxes) {
    const isThere = have.get(id) === address;
    if (promises.inboxesGone.has(id)) {
      if (isThere) findings.add('lost', `the deletion of inbox ${id}: it is back`);
    } else if (!isThere && !promises.inboxesGoing.has(id)) findings.add('lost', `the inbox ${id}`);
  }
  return [...promises.inboxes.keys()].filter((id) => have.has(id));
}

async function readCopies(api: Api, inboxes: string[], findings: Findings): Promise<Copies> {
  const copies: Copies = new Map();
  const lists = await Promise.all(inboxes.map((id) => api.all(`/inboxes/${id}/messages`)));
  for (const [index, inbox] of inboxes.entries()) {
    for (const message of lists[index] as Listed[]) {
      const number = readNumber(message.subject);
      if (number === null) {
        findings.add('damaged', `a message has the subject ${message.subject}`);
        continue;
      }
      const copy = nameCopy(number, inbox);
      copies.set(copy, [...(copies.get(copy) ?? []), message]);
    }
  }
  return copies;
}

function checkMails(promises: Promises, copies: Copies, findings: Findings): void {
  const { sending, mails, deleting, deleted } = promises;
  for (const [mail, to] of sending) {
    const wanted = to.map((inbox) => nameCopy(mail, inbox));
    const present = wanted.filter((copy) => copies.has(copy));
    const missing = wanted.filter((copy) => !copies.has(copy) && !deleting.has(copy));
    if (mails.has(mail)) for (const copy of missing) findings.add('lost', `mail ${copy}`);
    else if (present.length > 0 && missing.length > 0) findings.add('half', `mail ${mail}`);
    for (const copy of present) {
      const count = copies.get(copy)!.length;
      if (count > 1) findings.add('doubled', `mail ${copy} exists ${count} times`);
      if (deleted.has(copy)) findings.add('lost', `the deletion of mail ${copy}: it is back`);
    }
  }
  for (const copy of copies.keys()) {
    const [mail = '', inbox = ''] = copy.split(' ');
    if (!sending.get(Number(mail))?.includes(inbox)) findings.add('damaged', `mail ${copy} was never sent`);
  }
}

/** Chooses the mails to compare: those in progress, the latest, and some others. */
function pickSample(all: string[], { mails }: Promises, chance: Chance): string[] {
  const newest = new Set([...mails].slice(-COMPARED.newest));
  const isNew = (copy: string) => {
    const mail = Number(copy.split(' ')[0]);
    return newest.has(mail) || !mails.has(mail);
  };
  const others = all.filter((copy) => !isNew(copy));
  return [...all.filter(isNew), ...chance.sample(others, COMPARED.others)];
}

async function compare(api: Api, copy: string, message: Listed, findings: Findings): Promise<void> {
  const number = Number(copy.split(' ')[0]);
  const { status, bytes } = await api.bytes(`/messages/${message.id}/raw`);
  if (status !== 200) findings.add('damaged', `the bytes of mail ${copy} are answered ${status}`);
  else if (!withoutTrace(bytes).equals(makeMail(number)))
    findings.add('damaged', `the bytes of mail ${copy}`);
  const isRight = hasLink(number)
    ? message.magic_link === makeLink(number)
    : message.otp === makeCode(number);
  if (!isRight) findings.add('damaged', `the code or link of mail ${copy}`);
}

/** The search index is filled after the mail is stored. */
async function searchFor(api: Api, copy: string, id: string, findings: Findings): Promise<void> {
  const [number, inbox] = copy.split(' ');
  const giveUp = performance.now() + SEARCH_MS_MAX;
  for (;;) {
    const { json } = await api.call('GET', `/inboxes/${inbox}/messages?q=number${number}end`);
    const found = (json.data as { id: string }[] | undefined)?.map((one) => one.id).join();
    if (found === id) return;
    if (performance.now() > giveUp) return findings.add('lost', `the search does not find mail ${copy}`);
    await Bun.sleep(50);
  }
}

async function checkAcceptsMail(server: Serving, address: string, findings: Findings): Promise<void> {
  try {
    using client = await SmtpClient.greet({ port: readSmtpPort(server) });
    await client.deliver(SENDER, address, makeMail(MAIL_AFTER));
  } catch (fault) {
    findings.add('other', `it accepts no mail: ${shorten(fault)}`);
  }
}

function mapIds(copies: Copies): Map<string, string> {
  return new Map([...copies].map(([copy, messages]) => [copy, messages[0]!.id]));
}

function shorten(fault: unknown): string {
  return String((fault as Error).message ?? fault)
    .trim()
    .slice(-DETAIL_CHARACTERS);
}
