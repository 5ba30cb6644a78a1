/** A person who uses the dashboard, as the server sees their browser: cookies, and the headers of our own pages. */
import type { Account } from '../../../src/features/accounts/account.ts';
import { createAccount } from '../../../src/features/accounts/create.ts';
import { addMember } from '../../../src/features/accounts/members.ts';
import { setPasswordOp } from '../../../src/features/accounts/writes.ts';
import { newId } from '../../../src/platform/core/id.ts';
import type { Plan } from '../../../src/rules/plans.ts';
import type { Reply, RunningAppliance } from '../../start.ts';

export const password = 'correct horse battery';
/**
 * Test people who need no password of their own share this hash. It is weaker than the server's, so that a sign-in takes
 * less than a millisecond instead of 30: the server compares with the strength that a hash names.
 */
const sharedHash = Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });

export class Visitor {
  cookie: string | null = null;

  constructor(
    readonly appliance: RunningAppliance,
    private readonly from = '192.0.2.1',
  ) {}

  /** The token in the cookie. */
  get token(): string {
    return this.cookie?.split('=')[1] ?? '';
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await this.appliance.request(method, `/dashboard/api${path}`, {
      ...(body === undefined ? {} : { body }),
      headers: {
        origin: this.appliance.url,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'cors',
        'user-agent': 'Test/1.0',
        'x-forwarded-for': this.from,
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...headers,
      },
    });
    const set = reply.headers.get('set-cookie');
    if (set) this.cookie = /Max-Age=0/.test(set) ? null : (set.split(';')[0] ?? null);
    return reply;
  }

  get(path: string) {
    return this.ask('GET', path);
  }

  post(path: string, body?: unknown) {
    return this.ask('POST', path, body);
  }

  signIn(email: string, given = password): Promise<Reply> {
    return this.post('/sign-in', { email, password: given });
  }
}

export interface Person {
  account: Account;
  email: string;
  visitor: Visitor;
}

/** The owner of a new account, signed in. The first account of an appliance is the operator's. */
export async function owner(
  appliance: RunningAppliance,
  plan: Plan = 'business',
  email = newEmail(),
): Promise<Person> {
  const { account } = await createAccount(appliance.services, { email, plan });
  await givePassword(appliance, account, email);
  return { account, email, visitor: await signedIn(appliance, email) };
}

/** The owner of an existing account, signed in. */
export async function signInOwner(appliance: RunningAppliance, account: Account): Promise<Person> {
  const email = account.email!;
  await givePassword(appliance, account, email);
  return { account, email, visitor: await signedIn(appliance, email) };
}

/** A member of an account, signed in. */
export async function member(
  appliance: RunningAppliance,
  account: Account,
  email = newEmail(),
): Promise<Person> {
  await addMember(appliance.services, account, email);
  await givePassword(appliance, account, email);
  return { account, email, visitor: await signedIn(appliance, email) };
}

export function newEmail(): string {
  return `${newId('user')}@example.org`;
}

async function givePassword({ services }: RunningAppliance, account: Account, email: string): Promise<void> {
  const passwordHash = await sharedHash;
  await services.store.write(setPasswordOp, { account_no: account.no, email, password_hash: passwordHash });
}

async function signedIn(appliance: RunningAppliance, email: string): Promise<Visitor> {
  const visitor = new Visitor(appliance);
  const reply = await visitor.signIn(email);
  if (reply.status !== 200) throw new Error(`no sign-in: ${reply.text}`);
  return visitor;
}
