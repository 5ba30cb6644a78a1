import { computed, signal } from '@preact/signals';
import type { Me } from '../doors/dashboard/wire.ts';
import { apiPath } from './base.ts';
import { words } from './words/words.ts';

/** An error response of the dashboard's API; its message is meant for the person. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string[]> = {},
  ) {
    super(message);
  }
}

/** The visitor: undefined until it is known, null when nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);

/** Whether the visitor owns the account. Members see most pages, without what only owners may change. */
export const isOwner = computed(() => me.value?.role === 'owner');

/** Whether the visitor's session has ended while the page was open. */
export const hasEnded = signal(false);

export function call<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  return request({ method }, path, body);
}

/** POSTs a request that the server runs once, however often it is sent with this Idempotency-Key. */
export function callOnce<Result>(key: string, path: string, body: unknown): Promise<Result> {
  return request({ method: 'POST', headers: { 'idempotency-key': key } }, path, body);
}

/** Sends a request from a page that is closing. Browsers still deliver it, up to 64 KiB for all such requests. */
export function callAtClose<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  return request({ method, keepalive: true }, path, body);
}

async function request<Result>(options: RequestInit, path: string, body: unknown): Promise<Result> {
  const response = await fetch(apiPath(path), {
    ...options,
    ...(body === undefined
      ? {}
      : {
          body: JSON.stringify(body),
          headers: { ...options.headers, 'content-type': 'application/json' },
        }),
  }).catch(() => {
    throw new ApiFailure(0, 'offline', words.frame.failures.offline);
  });
  if (response.status === 204) return undefined as Result;
  const json = await response.json().catch(() => null);
  if (response.ok) return json as Result;
  const { code = 'server_error', message = words.frame.failures.server, fields = {} } = json?.error ?? {};
  if (response.status === 401 && me.value) {
    hasEnded.value = true;
    me.value = null;
  }
  throw new ApiFailure(response.status, code, sentence(message, fields), fields);
}

/** Like `call`, for the `data` of the answer. */
export async function send<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  return (await call<{ data: Data }>(method, path, body)).data;
}

/** GETs a route and returns its `data`. */
export function read<Data>(path: string): Promise<Data> {
  return send('GET', path);
}

/** The problem of each field, or the message if no field is to blame. */
function sentence(message: string, fields: Record<string, string[]>): string {
  const reasons = Object.entries(fields).map(([field, [reason]]) => `${field} ${reason}`);
  return reasons.length > 0 ? reasons.join('; ') : message;
}

export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return given.length > 0
    ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
    : '';
}
