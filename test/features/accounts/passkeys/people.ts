/** People with passkeys, and their browsers as the server sees them. */
import { expect } from 'bun:test';
import { newEmail, owner, type Person, password, Visitor } from '../../../doors/dashboard/visitor.ts';
import { Authenticator, type Ceremony, type Kind, type Lies } from '../../../peers/authenticator.ts';
import type { Reply, RunningAppliance } from '../../../start.ts';

/** For a server without a base URL, where passkeys are localhost's. */
export function newKey({ httpPort }: RunningAppliance, kind?: Kind): Authenticator {
  return new Authenticator(`http://localhost:${httpPort}`, 'localhost', kind);
}

export const verdict = ({ status, json }: Reply) =>
  status === 200 ? '200' : `${status} ${Object.keys(json.error.fields).join(' ')}`.trim();

/** A browser that is not signed in, with the cookie by which the server recognises it. */
export class Browser {
  readonly visitor: Visitor;
  mark: string | null = null;

  constructor(server: RunningAppliance, from?: string) {
    this.visitor = new Visitor(server, from);
  }

  async begin(): Promise<Ceremony> {
    this.visitor.cookie = this.mark;
    const reply = await this.visitor.post('/passkeys/sign-in/begin');
    this.mark = this.visitor.cookie;
    return reply.json.data;
  }

  /** Signs in with an answer to the challenge. */
  finish({ pending }: Pick<Ceremony, 'pending'>, answer: object): Promise<Reply> {
    this.visitor.cookie = this.mark;
    return this.visitor.post('/passkeys/sign-in', { pending, answer });
  }

  async signIn(by: Authenticator, lies?: Lies): Promise<Reply> {
    const asked = await this.begin();
    return this.finish(asked, by.get(asked, lies));
  }
}

type Signed = Pick<Person, 'visitor'>;

/** Adds a passkey with the password as proof. */
export async function add({ visitor }: Signed, by: Authenticator, lies?: Lies): Promise<Reply> {
  const { data } = (await visitor.post('/passkeys/new', { current_password: password })).json;
  return visitor.post('/passkeys', { pending: data.pending, answer: by.create(data, lies), name: 'Laptop' });
}

export async function ownerWithPasskey(
  server: RunningAppliance,
  kind?: Kind,
): Promise<Person & { by: Authenticator }> {
  const person = await owner(server);
  const by = newKey(server, kind);
  expect(verdict(await add(person, by))).toBe('200');
  return { ...person, by };
}

export const lists = async ({ visitor }: Signed) => (await visitor.get('/passkeys')).json.data.passkeys;

/** Confirms a change by a passkey. */
export async function prove(visitor: Visitor, by: Authenticator, lies?: Lies) {
  const asked = (await visitor.post('/passkeys/confirm')).json.data as Ceremony;
  return { passkey: { pending: asked.pending, answer: by.get(asked, lies) } };
}

/** A link for a new person, or another one for a member. */
export async function invite({ visitor }: Signed, email = newEmail()) {
  const { invite_path } = (await visitor.post('/members', { email })).json.data;
  return { email, token: invite_path.split('/').at(-1) as string };
}

export async function findId({ visitor }: Signed, email: string): Promise<string> {
  const { data } = (await visitor.get('/members')).json;
  return data.find((one: { email: string }) => one.email === email).user_id;
}

export async function renewLink(ann: Signed, email: string): Promise<string> {
  const { invite_path } = (await ann.visitor.post(`/members/${await findId(ann, email)}/link`)).json.data;
  return invite_path.split('/').at(-1);
}

/** Chooses a passkey by a link. */
export async function acceptBy(visitor: Visitor, by: Authenticator, token: string) {
  const begun = await visitor.post('/invite/passkey/begin', { token });
  if (begun.status !== 200) return { visitor, reply: begun };
  const { data } = begun.json;
  const registration = { token, pending: data.pending, answer: by.create(data), name: 'Laptop' };
  return { visitor, reply: await visitor.post('/invite/passkey', registration), registration };
}
