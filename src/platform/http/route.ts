import type { z } from 'zod';
import type { ErrorCode } from '../../rules/errors.ts';
import type { LimitName } from '../../rules/limits.ts';
import type { AccountKind, AccountStatus, MemberRole, Plan } from '../../rules/plans.ts';
import type { PlatformServices } from '../services.ts';
import type { AnswerHeader } from './openapi-headers.ts';
import type { Params, QueryOf } from './query.ts';
import type { Answer } from './reply.ts';

/*
 * A route is a value. The server, the OpenAPI document, the limits, the key check and the contract tests all read it. It is run by
 * pipeline.ts, in the order of docs/decisions.md, Requests.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Auth = 'key' | 'none';

/** The caller: an account, and a role in it. It has a key, or a session, or is the local user of a trap (capture mode). */
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

/** A request with an Idempotency-Key, to be carried out only once. */
export interface OnceRequest {
  /** The account, or the client's address without one, and the route. */
  scope: string;
  /** SHA-256 of the Idempotency-Key, hexadecimal. */
  key: string;
  /** SHA-256 of the body and the path parameters. */
  bodyHash: Uint8Array;
}

/** The client of a request. */
export interface Client {
  /** The socket's address, or the one that a trusted proxy reports. */
  address: string;
  /** As limits count it: an IPv4 address, or the /64 of an IPv6 address. */
  ip: string;
  /** Whether the address is that of a proxy, which is not trusted or does not name the client. */
  isHidden: boolean;
}

/** A request to another route of this server, on behalf of one that is being served. */
export interface InnerRequest {
  method: Method;
  /** Path and query. */
  path: string;
  /** Sent as JSON if present. */
  body?: unknown;
  signal: AbortSignal;
}

/** What routes can learn about the server itself. */
export interface ServiceView {
  /** Returns why the server can't accept mail and requests; null if it can. */
  ready(): string | null;
  /** Returns the OpenAPI document of the routes that are served. */
  document(): unknown;
  /** Serves another route for the caller of this request, with all of its checks and limits. */
  ask(outer: { request: Request; client: Client }, inner: InnerRequest): Promise<Response>;
}

/** A request that has passed every check before its handler. */
export interface Call<Body = unknown, Query = unknown, Who = Principal | null, Services = PlatformServices> {
  readonly services: Services;
  readonly service: ServiceView;
  readonly request: Request;
  readonly requestId: string;
  /** The path's parameters, decoded. One that can't be decoded is empty, which is never a valid id. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Who;
  /** What the route's `admit` returned; null without one. */
  readonly visitor: unknown;
  readonly client: Client;
  /** Whether the client may read /metrics. */
  isWatcher(): boolean;
  /** The time of the request in microseconds, read once. */
  readonly nowUs: number;
  /** Set if the request has an Idempotency-Key, and the route honours it. */
  readonly once: OnceRequest | null;
  /** Waits for one of the few slots for requests that hold many megabytes, and keeps it until the response. Throws 429. */
  takeRoom(): Promise<void>;
  /** Takes `amount` from each of the route's budgets. If one has less left, it takes nothing and throws 429. */
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

/** Describes a body as multipart/form-data, with a file. */
export interface FormSpec<F extends z.ZodType> {
  /** Strict; the file is a `z.file()`. */
  schema: F;
  /** Largest file. */
  bytesMax: number;
  /** The code for a larger file. The Content-Length is checked before anything is read. */
  tooLarge: ErrorCode;
}

/** Throws if the caller's plan does not allow this body, which is not validated yet. */
export type EntitleBody = (body: unknown, caller: Principal, services: PlatformServices) => void;

/** An announced breaking change (docs/api-v1.md, Versioning). UTC days, at least 90 apart. */
export interface SunsetPlan {
  /** The day of its changelog entry. */
  announced: string;
  /** The day when it will be removed. */
  sunset: string;
}

export type RouteLinks = Readonly<Record<string, Readonly<Record<string, string>>>>;

type LimitedSubject = (account: { no: number }, id: string, services: PlatformServices) => string;

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
  /** While this returns false, the route is 404. */
  open?: (services: Services) => boolean;
  /** For a route without a key: identifies the visitor, or throws. Runs instead of the key check. */
  admit?: Admit<Services>;
  /** Rate limits in addition to those of every key (KEY_LIMITS). */
  limits?: readonly LimitName[];
  /** Limits on the cost of calls rather than on their number. A call is refused while one is empty; `charge` takes from them. */
  budgets?: readonly LimitName[];
  /** Returns the inbox or domain that a limit `per` one counts, from the path's `id`: the same name however the path writes it. */
  limitedSubject?: LimitedSubject;
  /** Throws if the caller's account does not allow the call. Runs before the body is read. */
  entitle?: (caller: Principal, services: Services) => void;
  /** Throws if the caller's plan does not allow this body. Runs before the body is validated. */
  entitleBody?: EntitleBody;
  /** Strict, so that errors name unknown keys. */
  body?: B;
  form?: FormSpec<F>;
  /** Whether a missing or empty body counts as `{}`. */
  bodyOptional?: true;
  /** BODY_BYTES_MAX by default. */
  bodyBytesMax?: number;
  /** A JSON body may have this many bytes if everything beyond `bodyBytesMax` is in long strings. */
  bodyStringsBytesMax?: number;
  query?: Q;
  /** The route creates something, so it honours Idempotency-Key. */
  creates?: true;
  /** What the route honours an Idempotency-Key for, unless it `creates`: the claim of a message, or a new secret. */
  honoursKeyFor?: 'message' | 'secret';
  /** Statuses of success, each with the schema of its JSON; null if it has no body, or one that is not JSON. */
  responses: Readonly<Record<number, z.ZodType | null>>;
  /** Media types of a success, if it is not JSON; `*` + `/*` for any. */
  content?: readonly string[];
  /** Codes beyond those that follow from the other fields. */
  fails?: readonly ErrorCode[];
  /** Statuses of codes, where they differ from the code's own (`also` in rules/errors.ts). */
  failsAs?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Headers of a success by status, beyond those that follow from the other fields. */
  sends?: Readonly<Record<number, readonly AnswerHeader[]>>;
  /** Operations to call with the response: for each of their parameters a field of `data`. */
  links?: RouteLinks;
  /** When the route will be removed. */
  deprecated?: SunsetPlan;
  /** Whether the response waits for something to happen: a wait, or a stream. */
  waits?: true;
  run: (
    call: Call<z.output<B> | z.output<F>, QueryOf<Q>, A extends 'key' ? Principal : null, Services>,
  ) => Answer | Promise<Answer>;
}

/** A route that needs `Services`. Every route is also a plain `Route`, which can be read (for documents) but not run. */
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
  readonly limitedSubject: LimitedSubject | null;
  readonly entitle: ((caller: Principal, services: Services) => void) | null;
  readonly entitleBody: EntitleBody | null;
  readonly body: z.ZodType | null;
  readonly form: FormSpec<z.ZodType> | null;
  readonly bodyOptional: boolean;
  readonly bodyBytesMax: number;
  readonly bodyStringsBytesMax: number | null;
  readonly query: Params;
  readonly creates: boolean;
  readonly honoursKeyFor: 'message' | 'secret' | null;
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
  entitle(caller: Principal): void;
  run(call: Omit<Call, 'services'>): Answer | Promise<Answer>;
}

/** Binds a route to its services. */
export function serveWith<Services>(route: Route<Services>, services: Services): ServedRoute {
  return {
    route,
    isOpen: () => route.open?.(services) ?? true,
    admit: (request, nowUs, client) => route.admit?.(request, services, nowUs, client) ?? null,
    entitle: (caller) => route.entitle?.(caller, services),
    run: (call) => route.run({ ...call, services }),
  };
}

/** Largest request body, if the route has no bound of its own (docs/decisions.md, Requests). */
export const BODY_BYTES_MAX = 64 * 1024;

/** Limits of every request with a key: those of the key, and those that all keys of an account share. */
export const KEY_LIMITS: readonly LimitName[] = [
  'requests_per_minute',
  'requests_per_hour',
  'requests_account_per_minute',
  'requests_account_per_hour',
];

/** Returns the function that defines routes of a feature, which need these services. */
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
      limitedSubject: spec.limitedSubject ?? null,
      entitle: spec.entitle ?? null,
      entitleBody: spec.entitleBody ?? null,
      body: spec.body ?? null,
      form: spec.form ?? null,
      bodyOptional: spec.bodyOptional ?? false,
      bodyBytesMax: spec.bodyBytesMax ?? BODY_BYTES_MAX,
      bodyStringsBytesMax: spec.bodyStringsBytesMax ?? null,
      query: spec.query ?? {},
      creates: spec.creates ?? false,
      honoursKeyFor: spec.honoursKeyFor ?? null,
      responses: spec.responses,
      content: spec.content ?? ['application/json'],
      fails: spec.fails ?? [],
      failsAs: spec.failsAs ?? {},
      sends: spec.sends ?? {},
      links: spec.links ?? {},
      deprecated: spec.deprecated ?? null,
      waits: spec.waits ?? false,
      // The pipeline reads body, query and key by this same value, so the call has the types that are declared.
      run: spec.run as Route<Services>['run'],
    };
  };
}

/** Defines a route that needs only the platform. */
export const route = routeOn<PlatformServices>();
