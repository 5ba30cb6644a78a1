import type { z } from 'zod';
import type { ErrorCode } from '../../rules/errors.ts';
import type { LimitName } from '../../rules/limits.ts';
import type { AccountKind, AccountStatus, MemberRole, Plan } from '../../rules/plans.ts';
import type { PlatformServices } from '../services.ts';
import type { AnswerHeader } from './openapi-headers.ts';
import type { Params, QueryOf } from './query.ts';
import type { Answer } from './reply.ts';

/*
 * A route is a value. The server, the OpenAPI document, the limits, the key check and the contract test all read it.
 * Nothing here runs anything; pipeline.ts does, in the order of docs/decisions.md, Requests.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Auth = 'key' | 'none';

/** The caller: its account and its rights there. It has a key, is signed in, or is local to a capture-mode server. */
export type Principal = {
  account: {
    no: number;
    id: string;
    plan: Plan;
    kind: AccountKind;
    status: AccountStatus;
    custom_domains: boolean;
    outbound: boolean;
    trap: boolean;
    last_active_at: number;
  };
  /** The role of the signed-in member, or of the member who created the key. */
  role: MemberRole;
} & ({ kind: 'key'; key_id: string } | { kind: 'session'; user_id: string } | { kind: 'capture' });

/** A request to do something only once, mostly a POST: its scope, its Idempotency-Key, and a digest of the body. */
export interface OnceRequest {
  scope: string;
  key: string;
  body_hash: Uint8Array;
}

/** The client of a request. */
export interface Client {
  /** The socket's address, or the one that a trusted proxy reports. */
  address: string;
  /** As limits count it: an IPv4 address, or the /64 of an IPv6 address. */
  ip: string;
  /** The request came through a proxy that is untrusted or names no client: the address is the proxy's. */
  isHidden: boolean;
}

/** A request to another route of this server, on behalf of one that is being served. */
export interface InnerRequest {
  method: Method;
  /** With its query. */
  path: string;
  /** Sent as JSON if present. */
  body?: unknown;
  signal: AbortSignal;
}

/** What routes can ask about the server itself. */
export interface ServiceView {
  /** Null when the server can accept mail and requests, otherwise the reason why not. */
  ready(): string | null;
  /** The OpenAPI document of the routes that are served. */
  document(): unknown;
  /** Serves another route for the caller of this request, with all of its checks and limits. */
  ask(outer: { request: Request; client: Client }, inner: InnerRequest): Promise<Response>;
}

/** A request that has passed every check before its handler. */
export interface Call<Body = unknown, Query = unknown, Who = Principal | null, Services = PlatformServices> {
  readonly services: Services;
  readonly service: ServiceView;
  readonly request: Request;
  readonly request_id: string;
  /** Decoded. A value that can't be decoded is empty, which is never a valid id. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Who;
  /** What the route's `admit` returned; null without one. */
  readonly visitor: unknown;
  /** As limits count it: an IPv4 address, or the /64 of an IPv6 address. */
  readonly clientIp: string;
  readonly client: Client;
  /** Whether the client may read /metrics. */
  isWatcher(): boolean;
  /** The time of the request in microseconds, read once. */
  readonly nowUs: number;
  readonly once: OnceRequest | null;
  /** Waits for one of the few places for requests that hold many megabytes, until the response. Throws 429. */
  takeRoom(): Promise<void>;
  /** Takes `amount` from each of the route's budgets. Throws 429 and takes nothing when one has less left. */
  charge(amount: number): void;
}

export interface Admitted {
  account: { no: number; id: string };
  caller: Principal | null;
}

export type Admit<Services> = (
  request: Request,
  services: Services,
  nowUs: number,
  client: Client,
) => Admitted | null;

/** A body that may also come as multipart/form-data, with a file in it. */
export interface FormSpec<F extends z.ZodType> {
  /** Strict; the file is a `z.file()`. */
  schema: F;
  /** Bound of the file. */
  bytesMax: number;
  /** The code for a larger file. The announced length is checked before anything is read. */
  too_large: ErrorCode;
}

/** Sees the body before it is validated. */
export type EntitleBody = (body: unknown, caller: Principal, services: PlatformServices) => void;

/** An announced breaking change (docs/api-v1.md, Versioning). UTC days, at least 90 apart. */
export interface SunsetPlan {
  /** The day it was deprecated: the day of its changelog entry. */
  announced: string;
  /** The day it will be removed. */
  sunset: string;
}

export type RouteLinks = Readonly<Record<string, Readonly<Record<string, string>>>>;

type LimitedInbox = (account: { no: number }, id: string, services: PlatformServices) => string;

export interface RouteSpec<
  Services,
  B extends z.ZodType,
  Q extends Params,
  A extends Auth,
  F extends z.ZodType = z.ZodType<never>,
> {
  /** The operation's name in the OpenAPI document. */
  name: string;
  method: Method;
  /** From the root, with `:name` for a parameter. */
  path: string;
  /** The operation's title in the API reference: `List inboxes`. */
  summary: string;
  /** What the operation does and returns, where the title does not say it all. Markdown with `code` only. */
  description?: string;
  tag: string;
  /** A key is required unless this is `none`. */
  auth?: A;
  /** Served only while this returns true; otherwise 404. */
  open?: (services: Services) => boolean;
  /** On a route without a key: identifies the caller, or throws a refusal. Runs in place of the key check. */
  admit?: Admit<Services>;
  /** Rate limits besides those of the key. */
  limits?: readonly LimitName[];
  /** Limits on what calls cost rather than on their number. An empty one refuses the call; `charge` takes from them. */
  budgets?: readonly LimitName[];
  /** The inbox or domain that a per-inbox limit counts, from the path's `id`: one name however the path writes it. */
  limited_inbox?: LimitedInbox;
  /** Throws when the caller's plan does not allow the call. Runs before the body is read. */
  entitle?: (caller: Principal, services: PlatformServices) => void;
  /** The same, where the answer depends on the body. Runs before the body is validated. */
  entitleBody?: EntitleBody;
  /** Strict, so that errors name unknown keys. */
  body?: B;
  form?: FormSpec<F>;
  /** A missing or empty body counts as `{}`. */
  body_optional?: true;
  body_bytes_max?: number;
  /** A JSON body may have this many bytes if everything beyond `body_bytes_max` is in long strings. */
  body_strings_bytes_max?: number;
  query?: Q;
  /** It creates something, so it honours Idempotency-Key. `secret`: the response has a secret, see idempotency.ts. */
  creates?: 'plain' | 'secret';
  /** It claims a message on request, or makes a new secret, and honours Idempotency-Key for that. */
  claims?: 'message' | 'secret';
  /** Statuses of success, each with the schema of its JSON. Null: no body, or not JSON. */
  responses: Readonly<Record<number, z.ZodType | null>>;
  /** Media types of success other than JSON; `*` + `/*` for any. */
  content?: readonly string[];
  /** Codes beyond those that follow from the other fields. */
  fails?: readonly ErrorCode[];
  /** The status of a code where it differs from the code's default (`also` in rules/errors). */
  failsAs?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Headers of a success, besides those that follow from the other fields. */
  sends?: Readonly<Record<number, readonly AnswerHeader[]>>;
  /** What to call with the response: names of operations, and for each of its parameters a field of `data`. */
  links?: RouteLinks;
  /** The route will be removed; see SunsetPlan. */
  deprecated?: SunsetPlan;
  /** It responds when something happens, not as soon as it can. */
  waits?: true;
  run: (
    call: Call<z.output<B> | z.output<F>, QueryOf<Q>, A extends 'key' ? Principal : null, Services>,
  ) => Answer | Promise<Answer>;
}

/** A route that runs on `Services`. Any route is a plain `Route`, which documents can read but nothing can run. */
export interface Route<in Services = never> {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description: string | null;
  readonly tag: string;
  readonly auth: Auth;
  readonly open: ((services: Services) => boolean) | null;
  readonly admit: Admit<Services> | null;
  readonly limits: readonly LimitName[];
  readonly budgets: readonly LimitName[];
  readonly limited_inbox: LimitedInbox | null;
  readonly entitle: ((caller: Principal, services: PlatformServices) => void) | null;
  readonly entitleBody: EntitleBody | null;
  readonly body: z.ZodType | null;
  readonly form: FormSpec<z.ZodType> | null;
  readonly body_optional: boolean;
  readonly body_bytes_max: number;
  readonly body_strings_bytes_max: number | null;
  readonly query: Params;
  readonly creates: 'plain' | 'secret' | null;
  readonly claims: 'message' | 'secret' | null;
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  readonly content: readonly string[];
  readonly fails: readonly ErrorCode[];
  readonly failsAs: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly sends: Readonly<Record<number, readonly AnswerHeader[]>>;
  readonly links: RouteLinks;
  readonly deprecated: SunsetPlan | null;
  readonly waits: boolean;
  readonly run: (call: Call<unknown, unknown, Principal | null, Services>) => Answer | Promise<Answer>;
}

/** A route bound to its services. */
export interface ServedRoute {
  readonly route: Route;
  isOpen(): boolean;
  admit(request: Request, nowUs: number, client: Client): Admitted | null;
  run(call: Omit<Call, 'services'>): Answer | Promise<Answer>;
}

export function serveWith<Services>(route: Route<Services>, services: Services): ServedRoute {
  return {
    route,
    isOpen: () => route.open?.(services) ?? true,
    admit: (request, nowUs, client) => route.admit?.(request, services, nowUs, client) ?? null,
    run: (call) => route.run({ ...call, services }),
  };
}

/** Bound of a request body where the route sets none (docs/decisions.md, Requests). */
export const BODY_BYTES_MAX = 64 * 1024;

/** Limits of every request with a key: the key's own, and those that all keys of an account share. */
export const KEY_LIMITS: readonly LimitName[] = [
  'requests_per_minute',
  'requests_per_hour',
  'requests_account_per_minute',
  'requests_account_per_hour',
];

/** Returns the function that defines a feature's routes, for the services that they need. */
export function routeOn<Services>() {
  return <
    B extends z.ZodType = z.ZodType<undefined>,
    Q extends Params = Record<never, never>,
    A extends Auth = 'key',
    F extends z.ZodType = z.ZodType<never>,
  >(
    spec: RouteSpec<Services, B, Q, A, F>,
  ): Route<Services> => {
    const auth: Auth = spec.auth ?? 'key';
    return {
      name: spec.name,
      method: spec.method,
      path: spec.path,
      summary: spec.summary,
      description: spec.description ?? null,
      tag: spec.tag,
      auth,
      open: spec.open ?? null,
      admit: spec.admit ?? null,
      limits: [...(auth === 'key' ? KEY_LIMITS : []), ...(spec.limits ?? [])],
      budgets: spec.budgets ?? [],
      limited_inbox: spec.limited_inbox ?? null,
      entitle: spec.entitle ?? null,
      entitleBody: spec.entitleBody ?? null,
      body: spec.body ?? null,
      form: spec.form ?? null,
      body_optional: spec.body_optional ?? false,
      body_bytes_max: spec.body_bytes_max ?? BODY_BYTES_MAX,
      body_strings_bytes_max: spec.body_strings_bytes_max ?? null,
      query: spec.query ?? {},
      creates: spec.creates ?? null,
      claims: spec.claims ?? null,
      responses: spec.responses,
      content: spec.content ?? ['application/json'],
      fails: spec.fails ?? [],
      failsAs: spec.failsAs ?? {},
      sends: spec.sends ?? {},
      links: spec.links ?? {},
      deprecated: spec.deprecated ?? null,
      waits: spec.waits ?? false,
      // The pipeline reads body, query and key by this same value, so the call has the declared types.
      run: spec.run as Route<Services>['run'],
    };
  };
}

/** Defines a route that needs only the platform. */
export const route = routeOn<PlatformServices>();
