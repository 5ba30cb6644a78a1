/** A Postern server that a command calls over HTTP, as any other client does. */
import type { Settings } from '../../../platform/core/settings.ts';
import { readCode, readReason } from '../../../platform/core/thrown.ts';
import { listTrusted, readExtraCa } from '../../../platform/net/extra-ca.ts';
import { namesLoopback } from '../../../platform/net/own-host.ts';
import { WITHOUT_PROXY } from '../../../platform/net/without-proxy.ts';
import { OperatorError } from '../command.ts';
import type { FieldRefusal } from '../reasons.ts';

/** Statuses of a server that is starting, or of a proxy in front of one. */
export const STARTING: readonly number[] = [502, 503, 504];
/** The same, and what a server answers that has no free slot. */
export const BUSY: readonly number[] = [429, ...STARTING];

export interface Remote {
  /** Without a slash at the end. */
  url: string;
  /** Requests a path. Throws an OperatorError if no server answers, or for an error whose status is not in `allowed`. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  /** Requests a path and returns the response, even an error. Throws only if no Postern answers. */
  request(path: string, init: RequestInit): Promise<Response>;
}

interface AskOptions extends BunFetchRequestInit {
  allowed?: readonly number[];
  /** The text of the error if the server does not have what the path names. */
  missing?: string;
}

export type RemoteSettings = Pick<Settings, 'url' | 'api_key' | 'extra_ca_file'>;

export function makeRemote(settings: RemoteSettings): Remote {
  const url = settings.url.replace(/\/+$/, '');
  const trust = readTrust(settings.extra_ca_file);
  const request: Remote['request'] = async (path, init) => {
    const headers = new Headers(init.headers);
    if (settings.api_key !== null) headers.set('authorization', `Bearer ${settings.api_key}`);
    const answer = await reach(url, path, { ...trust, ...init, headers });
    if (answer.status === 404) await requireApi(url, { ...trust, ...init });
    return answer;
  };
  return {
    url,
    request,
    async ask(path, { allowed = [], missing, ...init } = {}) {
      const answer = await request(path, init);
      if (answer.ok && isForeign(answer, init.method)) throw makeForeign(url);
      if (answer.ok) return answer;
      if (allowed.includes(answer.status)) return answer;
      throw await makeRefusal(answer, url, settings.api_key !== null, missing);
    },
  };
}

/** The options of `fetch` that make it trust the certificates in POSTERN_EXTRA_CA_FILE besides the built-in roots. */
export function readTrust(extraCaFile: string | null): BunFetchRequestInit {
  if (extraCaFile === null) return {};
  try {
    return { tls: { ca: listTrusted(readExtraCa(extraCaFile)) } };
  } catch (fault) {
    throw new OperatorError(readReason(fault));
  }
}

/** The API refused the request. */
export class RefusedRequest extends OperatorError implements FieldRefusal {
  constructor(
    message: string,
    readonly code: string,
    readonly fields: FieldRefusal['fields'],
  ) {
    super(message);
  }
}

/** No Postern answered. A caller that waits may try again. */
export class Unreachable extends OperatorError {}

/**
 * Throws if the API is not at this URL: then a 404 is from another web server, a proxy without a route to Postern, or
 * Postern under another path.
 */
async function requireApi(url: string, init: RequestInit): Promise<void> {
  const answer = await reach(url, '/api/v1/openapi.json', { ...init, method: 'HEAD', body: null });
  if (answer.status !== 404) return;
  throw new Unreachable(
    `There is no Postern at ${url} (404). Set POSTERN_URL to Postern's address, with the path if it has one.`,
  );
}

async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  const isHere = namesLoopback(new URL(url).hostname);
  try {
    return await fetch(url + path, { ...init, ...(isHere && WITHOUT_PROXY) });
  } catch (fault) {
    if (init.signal?.aborted) throw fault;
    const reason = readNetworkReason(fault);
    if (isUntrusted(fault)) {
      throw new Unreachable(
        `The certificate of ${url} is not trusted (${reason}). Set POSTERN_EXTRA_CA_FILE to a PEM file with it or its CA.`,
      );
    }
    const invalid = certificateFaults[readCode(fault)];
    if (invalid) throw new Unreachable(`The certificate of ${url} ${invalid}`);
    throw new Unreachable(
      `No Postern answers at ${url} (${reason}). Start one with \`postern capture\`, or set POSTERN_URL.`,
    );
  }
}

/** Returns why a server could not be reached, without what Bun adds for programmers. */
export function readNetworkReason(fault: unknown): string {
  return readReason(fault).replace(
    /( fetching "[^"]*")?\. (Is the computer able to access the url\?|For more information, pass .*)$/,
    '',
  );
}

/** Whether the certificate is self-signed, or from a CA that is not trusted. */
export const isUntrusted = (fault: unknown) =>
  /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(readCode(fault));

/** What is wrong with a trusted certificate, by Bun's error code. */
const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired. Renew it, or set the clock of this machine.',
  CERT_NOT_YET_VALID: 'is not valid yet. Set the clock of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name. Set POSTERN_URL to the name that it has.',
};

/** Whether another web server answered: many answer any path with 200 and a page. */
function isForeign({ headers, status }: Response, method: string | undefined): boolean {
  const type = headers.get('content-type');
  if (type === null) return status !== 204 && method !== 'HEAD';
  return !/^(application\/json|text\/event-stream)\b/i.test(type);
}

/** Returns the error for an answer that Postern does not send. */
export function makeForeign(url: string): Unreachable {
  return new Unreachable(
    `The server at ${url} is not Postern. Set POSTERN_URL to Postern's address, with the path if it has one.`,
  );
}

interface ErrorBody {
  error?: { code?: string; message?: string; fields?: Record<string, string[]> };
}

async function makeRefusal(
  answer: Response,
  url: string,
  hasKey: boolean,
  missing: string | undefined,
): Promise<OperatorError> {
  if (answer.status === 401) {
    return new OperatorError(
      hasKey
        ? `${url} does not accept the API key in POSTERN_API_KEY.`
        : `${url} requires an API key. Set POSTERN_API_KEY.`,
    );
  }
  const { error = {} } = (await answer.json().catch(() => ({}))) as ErrorBody;
  const { code = '', message = `${url} answered ${answer.status}.`, fields = {} } = error;
  if (code === 'not_found' && missing !== undefined) return new OperatorError(missing);
  return new RefusedRequest(message, code, fields);
}
