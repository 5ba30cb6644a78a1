/** What is wrong at the end of supportRounds, by what the API, the customers and the webhook say. */
import type { Customer, Customers } from './customers.ts';
import type { SupportProgram } from './program.ts';

export interface DeskFigures {
  kills: number;
  /** Mails of customers that were answered 250, and replies that the API accepted. */
  received: number;
  replied: number;
  bounces: number;
  /** Allowed: an event or an email that came again after a kill, a mail that was stored though its 250 was lost. */
  eventsAgain: number;
  repliesAgain: number;
  mailsAgain: number;
  faults: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: members of a thread, as the wire has them.
type Member = any;

/** Members by thread. */
type Threads = ReadonlyMap<string, Member[]>;

export async function findFaults(
  customers: Customers,
  program: SupportProgram,
): Promise<Omit<DeskFigures, 'kills'>> {
  const threads = await readThreads(program);
  const perCustomer = customers.all.map((customer) => judgeCustomer(customer, threads, program));
  const sum = (pick: (one: (typeof perCustomer)[number]) => number) =>
    perCustomer.reduce((total, one) => total + pick(one), 0);
  const heard = [...program.heard.values()];
  return {
    received: customers.all.reduce((total, { answered }) => total + answered.size, 0),
    replied: program.repliesSent,
    bounces: program.bounces.size,
    eventsAgain: heard.reduce((total, { times }) => total + times - 1, 0),
    repliesAgain: sum(({ repliesAgain }) => repliesAgain),
    mailsAgain: sum(({ mailsAgain }) => mailsAgain),
    faults: [
      ...program.damaged,
      ...perCustomer.flatMap(({ faults }) => faults),
      ...judgeEvents(customers, program, threads),
    ],
  };
}

async function readThreads(program: SupportProgram): Promise<Threads> {
  const threads = new Map<string, Member[]>();
  for (const { id } of await program.listAll('/threads'))
    threads.set(id, await program.listAll(`/threads/${id}`));
  return threads;
}

/** One conversation is one thread, with every mail that was answered 250 and one reply to each. */
function judgeCustomer(customer: Customer, threads: Threads, { unanswerable }: SupportProgram) {
  const faults: string[] = [];
  const name = `customer ${customer.number}`;
  const isTheirs = (member: Member) =>
    member.direction === 'in' ? member.from.includes(customer.address) : member.to.includes(customer.address);
  const own = [...threads].filter(([, all]) => all.some(isTheirs));
  const all = own.flatMap(([, one]) => one);
  if (own.length !== 1) faults.push(`${name} has ${own.length} threads`);
  if (!all.every(isTheirs)) faults.push(`${name} shares a thread`);
  if (all.some(({ direction }, at) => at === 0 && direction !== 'in'))
    faults.push(`${name}: the thread begins with a reply`);
  const received = all.filter(({ direction }) => direction === 'in');
  const sent = all.filter(({ direction }) => direction === 'out');
  const refused = received.filter(({ id }) => unanswerable.has(id)).length;
  if (sent.length + refused !== received.length || (refused > 0 && customer.fate === 'answers'))
    faults.push(`${name}: ${received.length} mails have ${sent.length} replies, ${refused} were refused`);
  const stored = received.length;
  const tries = [...customer.tries.values()].reduce((total, one) => total + one, 0);
  if (stored < customer.answered.size) faults.push(`${name}: a mail that was answered 250 is missing`);
  if (stored > tries) faults.push(`${name}: a mail is stored more often than it was sent`);
  if (customer.damaged.length > 0) faults.push(`${name} got damaged replies: ${customer.damaged.join(', ')}`);
  const wanted = customer.fate === 'answers' ? 'sent' : 'bounced';
  for (const { id, status } of sent)
    if (status !== wanted) faults.push(`${name}: email ${id} is ${status}, not ${wanted}`);
  if (customer.fate !== 'unknown address' && customer.replies.size !== sent.length)
    faults.push(`${name}: of ${sent.length} replies ${customer.replies.size} arrived`);
  const arrivals = [...customer.replies.values()].reduce((total, one) => total + one, 0);
  return {
    faults,
    repliesAgain: arrivals - customer.replies.size,
    mailsAgain: stored - customer.answered.size,
  };
}

/** Each message and each outcome of an email has exactly one event, however often it was delivered. */
function judgeEvents({ all }: Customers, { heard, bounces }: SupportProgram, threads: Threads): string[] {
  const faults: string[] = [];
  const eventsOf = new Map<string, string[]>();
  for (const { event, id } of heard.values()) eventsOf.set(id, [...(eventsOf.get(id) ?? []), event]);
  const isBouncing = new Set(all.filter(({ fate }) => fate !== 'answers').map(({ address }) => address));
  for (const { id, direction, to, kind } of [...threads.values()].flat()) {
    const events = (eventsOf.get(id) ?? []).toSorted().join(' ');
    const address = direction === 'in' ? '' : String(to[0]);
    const wanted =
      direction === 'in' ? ['email.received'] : findOutcomes(isBouncing.has(address), all, address);
    if (!wanted.includes(events)) faults.push(`${kind ?? 'message'} ${id} has the events "${events}"`);
  }
  for (const address of isBouncing)
    if (!bounces.has(address)) faults.push(`no event said that ${address} bounced`);
  return faults;
}

/** An email that bounced by a report was marked sent before, unless the report came before its 250 was stored. */
function findOutcomes(isBouncing: boolean, all: readonly Customer[], address: string): string[] {
  if (!isBouncing) return ['email.sent'];
  const { fate } = all.find((customer) => customer.address === address)!;
  return fate === 'reports a bounce' ? ['email.bounced email.sent', 'email.bounced'] : ['email.bounced'];
}
