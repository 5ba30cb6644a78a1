/** Runs one case of the contract. */
import type * as Client from '../../../../clients/typescript/src/index.ts';
import { methods } from './methods.ts';
import { ScriptedPeer } from './scripted-peer.ts';
import { type CaseMail, sendMail } from './smtp-mail.ts';
import { compare, fill, type Values } from './values.ts';

export type ClientModule = typeof Client;

export interface Servers {
  [name: string]: { url: string; smtp: string; api_key: string };
}

export interface Case {
  title: string;
  server?: string;
  peer?: ConstructorParameters<typeof ScriptedPeer>[0];
  client?: { url?: string; api_key?: string | null };
  steps: Step[];
}

interface Step {
  call?: string;
  begin?: string;
  end?: string;
  on?: string;
  args?: Values;
  take?: number;
  cancel?: true;
  save?: string;
  result?: unknown;
  error?: Values;
  within_s?: number;
  after_s?: number;
  mail?: CaseMail & { code?: number };
  pause_ms?: number;
}

const WITHIN_S = 15;

type Outcome = { result: unknown } | { error: unknown };

interface Begun {
  outcome: Promise<Outcome>;
  cancel: AbortController;
}

/** Runs a case. Throws an Error that says what was not as expected. */
export async function runCase(module: ClientModule, servers: Servers, given: Case): Promise<void> {
  const values: Values = { unique: makeWord() };
  const remembered = new Map<string, unknown>();
  const server = given.server === undefined ? null : servers[given.server];
  if (server === undefined) throw new Error(`there is no server ${given.server}`);
  const peer = given.peer ? new ScriptedPeer(given.peer, values, remembered) : null;
  if (peer) values.peer = await peer.listen();
  if (JSON.stringify(given).includes('{closed}')) values.closed = await findClosedUrl();
  const wanted = fill(given.client ?? {}, values) as NonNullable<Case['client']>;
  const url = wanted.url ?? server?.url ?? String(values.peer);
  const apiKey = wanted.api_key === undefined ? (server?.api_key ?? 'pst_live_contract') : wanted.api_key;
  const run = new Run(module, { url, apiKey }, server?.smtp ?? '', values, remembered);
  try {
    for (const [index, step] of given.steps.entries()) {
      const fault = await run.take(step).catch((thrown: unknown) => String(thrown));
      if (fault) throw new Error([`step ${index + 1}: ${fault}`, ...(peer?.faults ?? [])].join('\n'));
    }
  } finally {
    run.end();
    await peer?.close();
  }
  if (peer && peer.faults.length > 0) throw new Error(peer.faults.join('\n'));
}

class Run {
  private readonly begun = new Map<string, Begun>();
  private client: Client.Postern | null = null;

  constructor(
    private readonly module: ClientModule,
    private readonly options: { url: string; apiKey: string | null },
    private readonly smtp: string,
    private readonly values: Values,
    private readonly remembered: Map<string, unknown>,
  ) {}

  /** Returns what is wrong. */
  async take(step: Step): Promise<string | null> {
    if (step.pause_ms !== undefined) {
      await new Promise((done) => setTimeout(done, step.pause_ms));
      return null;
    }
    if (step.mail) {
      const { code: expected = 250, ...mail } = fill(step.mail, this.values) as CaseMail & { code?: number };
      const code = await sendMail(this.smtp, mail);
      return code === expected ? null : `the mail was answered ${code}`;
    }
    if (step.begin !== undefined) {
      this.begun.set(step.begin, this.begin(step));
      return null;
    }
    const begun = step.end === undefined ? this.begin(step) : this.begun.get(step.end);
    if (!begun) throw new Error(`nothing was begun as ${step.end}`);
    return this.check(step, begun);
  }

  /** Ends what the case left behind. */
  end(): void {
    for (const { cancel } of this.begun.values()) cancel.abort();
  }

  private begin(step: Step): Begun {
    const cancel = new AbortController();
    const outcome = this.call(step, cancel.signal).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    return { outcome, cancel };
  }

  private async call(step: Step, signal: AbortSignal): Promise<unknown> {
    const method = methods[step.call ?? ''];
    if (!method) throw new Error(`there is no method ${step.call}`);
    const filled = fill(step.args ?? {}, this.values) as Values;
    const { inbox, id, ...args } = filled as Values & { inbox: string; id: string };
    this.client ??= new this.module.Postern(this.options);
    const { client } = this;
    const saved = step.on === undefined ? null : (this.values[step.on] as Client.InboxMethods);
    const isOfInboxes = step.call?.startsWith('inboxes.');
    const on = saved ?? (inbox === undefined || isOfInboxes ? null : client.inbox(inbox));
    const found = await method({ client, webhooks: this.module.webhooks, on, args, inbox, id, signal });
    const isIterable = typeof found === 'object' && found !== null && Symbol.asyncIterator in found;
    return isIterable ? collect(found as AsyncIterable<unknown>, step.take) : found;
  }

  private async check(step: Step, { outcome, cancel }: Begun): Promise<string | null> {
    const startMs = performance.now();
    if (step.cancel) cancel.abort();
    const withinS = step.within_s ?? WITHIN_S;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((done) => {
      timer = setTimeout(() => done(null), withinS * 1000);
    });
    const settled = await Promise.race([outcome, late]);
    clearTimeout(timer);
    if (settled === null) return `took longer than ${withinS} s`;
    const tookS = (performance.now() - startMs) / 1000;
    if (tookS < (step.after_s ?? 0)) return `took ${tookS} s, less than ${step.after_s} s`;
    return this.judge(step, settled);
  }

  private judge(step: Step, outcome: Outcome): string | null {
    if ('error' in outcome) {
      const seen = readError(this.module, outcome.error);
      if (!step.error) return `failed: ${JSON.stringify(seen)}`;
      return compare(seen, fill(step.error, this.values), this.remembered, 'error');
    }
    if (step.error) return `did not fail, but gave ${JSON.stringify(outcome.result)}`;
    if (step.save !== undefined) this.values[step.save] = outcome.result;
    if (step.result === undefined) return null;
    return compare(outcome.result, fill(step.result, this.values), this.remembered, 'result');
  }
}

async function collect(items: AsyncIterable<unknown>, take = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length >= take) break;
  }
  return collected;
}

/** With the neutral names. */
function readError({ PosternError, WaitTimeoutError }: ClientModule, error: unknown): Values {
  if (!(error instanceof PosternError)) {
    const isAborted = error instanceof Error && error.name === 'AbortError';
    return isAborted ? { kind: 'aborted' } : { kind: 'none of ours', message: String(error) };
  }
  const kind = error.name
    .replace(/Error$/, '')
    .replace(/[A-Z]/g, (letter, at) => `${at > 0 ? '_' : ''}${letter.toLowerCase()}`);
  return {
    kind,
    code: error.code,
    status: error.status,
    message: error.message,
    request_id: error.requestId,
    fields: error.fields,
    advice: error.advice,
    retry_after_s: error.retryAfterMs === null ? null : error.retryAfterMs / 1000,
    ...(error instanceof WaitTimeoutError ? { arrived: error.arrived, reason: error.reason } : {}),
  };
}

async function findClosedUrl(): Promise<string> {
  const peer = new ScriptedPeer([], {}, new Map());
  const url = await peer.listen();
  await peer.close();
  return url;
}

function makeWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('');
}
