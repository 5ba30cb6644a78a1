/** For tests of sign-in with OpenID Connect: people, and a browser that goes to the identity provider and back. */
import { Visitor } from '../../doors/dashboard/visitor.ts';
import { clientId, clientSecret, type Provider } from '../../peers/identity-provider.ts';
import { type RunningAppliance, type StartOptions, startAppliance } from '../../start.ts';

export const ann = { sub: 'ann-1', email: 'ann@example.com', email_verified: true };
export const bob = { sub: 'bob-1', email: 'bob@example.com', email_verified: true };

/** An appliance that has this identity provider. */
export function start(
  { issuer }: Pick<Provider, 'issuer'>,
  more: Record<string, string> = {},
  options: StartOptions = {},
) {
  const oidc = { oidc_issuer: issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret };
  return startAppliance({ ...options, settings: { ...oidc, limits: 'off', ...more } });
}

const RETURN_PAGE = '/dashboard/sign-in/return#';

/** A browser on the way to the provider and back, with its cookies. */
export class Tab {
  readonly visitor: Visitor;
  cookies = new Map<string, string>();
  /** What our page keeps in the session storage of this tab. */
  pending = '';

  constructor(private readonly appliance: RunningAppliance) {
    this.visitor = new Visitor(appliance);
  }

  async open(url: string) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: {
        ...(url.startsWith(this.appliance.url) && cookie ? { cookie } : {}),
        ...{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      },
    });
    this.keep(reply);
    const location = reply.headers.get('location') ?? '';
    return location.startsWith(RETURN_PAGE) ? this.finish(location.slice(RETURN_PAGE.length)) : location;
  }

  /** What our page does with the answer that it finds in its fragment. Returns the address that it opens then. */
  async finish(answer: string): Promise<string> {
    return (await this.post('/single-sign-on/finish', { pending: this.pending, answer })).location;
  }

  /** Sends a request of our own page. */
  private async post(path: string, body: unknown) {
    const session = this.visitor.cookie;
    const reply = await this.visitor.post(path, body);
    this.visitor.cookie = session;
    this.keep(reply);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.json.data;
  }

  private keep({ headers }: Pick<Response, 'headers'>): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.visitor.cookie = this.cookies.has('postern_session')
      ? `postern_session=${this.cookies.get('postern_session')}`
      : null;
  }

  /**
   * Begins a sign-in, or what else a route of the dashboard uses the provider for. Returns the address to which the provider
   * sends the browser back.
   */
  async begin(path?: string, body?: unknown) {
    if (path === undefined) return this.open(await this.open(`${this.appliance.url}/auth/oidc`));
    const { location, pending } = await this.post(path, body);
    this.pending = pending;
    return this.open(location);
  }

  /** Signs in. Returns the address to which the server then redirects. */
  async signIn() {
    return this.open(await this.begin());
  }

  async me() {
    return (await this.visitor.get('/me')).json.data;
  }
}
