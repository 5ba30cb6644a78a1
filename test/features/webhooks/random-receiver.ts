/** The receiver of random-world.ts: it changes how it answers a webhook, and keeps what it received. */
import { type Answer, type Received, type Receiver, startReceiver } from '../../peers/https-receiver.ts';
import type { How } from './random-steps.ts';

interface Request {
  hook: string;
  event: string;
  kind: string;
  subject: string;
  isAccepted: boolean;
}

export class MoodyReceiver implements AsyncDisposable {
  readonly requests: Request[] = [];
  /** By the name of the webhook, which is the path; `ok` unless set. */
  readonly how = new Map<string, How>();
  /** The most requests of one webhook at a time. */
  mostAtOnce = 0;
  private readonly open = new Map<string, number>();
  private hung: (() => void)[] = [];

  private constructor(private readonly receiver: Receiver) {
    receiver.answer((request) => this.answer(request));
  }

  static async open(): Promise<MoodyReceiver> {
    return new MoodyReceiver(await startReceiver({ kind: 'http' }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.receiver[Symbol.asyncDispose]();
  }

  get url(): string {
    return `http://127.0.0.1:${this.receiver.port}/`;
  }

  get isHanging(): boolean {
    return this.hung.length > 0;
  }

  /** Resets the connections of all requests that hang. */
  release(): void {
    for (const end of this.hung) end();
    this.hung = [];
  }

  private answer({ path, body }: Received): Answer {
    const hook = path.slice(1).split('?')[0]!;
    const { id, event, data } = JSON.parse(body.toString());
    const how = this.how.get(hook) ?? 'ok';
    const isAccepted = how === 'ok' || how === 'slow';
    this.requests.push({ hook, event: id, kind: event, subject: data.message.id, isAccepted });
    const now = (this.open.get(hook) ?? 0) + 1;
    this.open.set(hook, now);
    this.mostAtOnce = Math.max(this.mostAtOnce, now);
    const ends = () => void this.open.set(hook, this.open.get(hook)! - 1);
    if (how === 'hang') {
      const until = new Promise<void>((resolve) => this.hung.push(resolve)).then(ends);
      return { until, how: 'reset' };
    }
    if (how === 'slow') return { until: Bun.sleep(5).then(ends) };
    ends();
    return answers[how];
  }
}

const answers: Record<Exclude<How, 'hang' | 'slow'>, Answer> = {
  ok: {},
  error: { status: 500 },
  refused: { status: 404 },
  gone: { status: 410 },
  reset: { how: 'reset' },
  busy: { status: 429, headers: { 'retry-after': '600' } },
};
