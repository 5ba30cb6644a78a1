import type { z } from 'zod';
import type { ErrorCode } from '../../rules/errors.ts';
import type { LimitName } from '../../rules/limits.ts';
import type { AccountKind, AccountStatus, MemberRole, Plan } from '../../rules/plans.ts';
import type { PlatformServices } from '../services.ts';
import type { AnswerHeader } from './openapi-headers.ts';
import type { Params, QueryOf } from './query.ts';
import type { Answer } from './reply.ts';

/*
 * A route is a value: the server, the OpenAPI document, the limits, the key and the contract test all read it.
 * Nothing here runs anything; pipeline.ts does, in the order of decisions.md, Requests.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Auth = 'key' | 'none';

/** Who calls, for which account and with whose rights in it: by a key, signed in, or at capture mode's own machine. */
export type Principal = {
  account: {
    no: number;
    id: string;
    plan: Plan;
    kind: AccountKind;
    status: AccountStatus;
    custom_domains: boolean;
    outbound: boolean;
    last_active_at: number;
  };
  /** Of the member who is signed in, or who made the key. */
  role: MemberRole;
} & ({ kind: 'key'; key_id: string } | { kind: 'session'; user_id: string } | { kind: 'capture' });

/** A wish that a POST happens once: whose it is, its Idempotency-Key, and a digest of the body. */
export interface OnceWish {
  scope: string;
  key: string;
  body_hash: Uint8Array;
}

/** What the server itself can tell a route. */
export interface ServiceView {
  /** Null when mail and requests can be taken, else the reason why not. */
  ready(): string | null;
  /** The OpenAPI document of the routes that are served. */
  document(): unknown;
}

/** One request that passed every check before its handler. */
export interface Call<Body = unknown, Query = unknown, Who = Principal | null, Services = PlatformServices> {
  readonly services: Services;
  readonly service: ServiceView;
  readonly request: Request;
  readonly request_id: string;
  /** Decoded; what could not be decoded is empty and so no id. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Who;
  /** What the route's `admit` gave; null without one. */
  readonly visitor: unknown;
  /** As limits count it: an IPv4 address, or the /64 of an IPv6 one. */
  readonly clientIp: string;
  /** Whether it comes from where /metrics may be read. */
  isWatcher(): boolean;
  /** The time of the request, microseconds; read once. */
  readonly nowUs: number;
  readonly once: OnceWish | null;
  /** Takes so many from the route's budgets, all or nothing: throws 429 when one has not so many left. */
  charge(amount: number): void;
}

export interface Admitted {
  account: { no: number; id: string };
  caller: Principal | null;
}

export type Admit<Services> = (request: Request, services: Services, nowUs: number) => Admitted | null;

/** A body that may come as multipart/form-data too, for the file in it. */
export interface FormSpec<F extends z.ZodType> {
  /** Strict; the file is a `z.file()`. */
  schema: F;
  /** Of the file. */
  bytesMax: number;
  /** When it is larger; told from the announced length before anything is read. */
  too_large: ErrorCode;
}

/** May look at a body that is not checked yet. */
export type EntitleBody = (body: unknown, caller: Principal, services: PlatformServices) => void;

/** A breaking change that was announced (contract: Versioning): days, UTC; at least 90 lie between them. */
export interface SunsetPlan {
  /** Since when it is deprecated: the day of the changelog's entry. */
  announced: string;
  /** When it will be gone. */
  sunset: string;
}

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
  summary: string;
  tag: string;
  /** A key is asked for unless this says `none`. */
  auth?: A;
  /** Served only while this holds, else 404. */
  open?: (services: Services) => boolean;
  /** On a route without a key: says who calls, or throws what refuses. It runs in the key's place. */
  admit?: Admit<Services>;
  /** Rate limits beside those of the key. */
  limits?: readonly LimitName[];
  /** Limits of what a call is worth and not of calls: an empty one refuses here, `charge` takes from them. */
  budgets?: readonly LimitName[];
  /** Which inbox, or domain, a limit of each counts: of the path's `id`, one name whatever way it is written. */
  limited_inbox?: LimitedInbox;
  /** Throws when the caller's plan does not allow this; it comes before the body is looked at. */
  entitle?: (caller: Principal, services: PlatformServices) => void;
  /** The same where the body says what is asked for; it comes before the body is checked. */
  entitleBody?: EntitleBody;
  /** Strict, so that unknown keys are named. */
  body?: B;
  form?: FormSpec<F>;
  /** No body, or an empty one, counts as `{}`. */
  body_optional?: true;
  body_bytes_max?: number;
  query?: Q;
  /** It creates, so it honours Idempotency-Key. `secret`: the answer has a secret, see idempotency.ts. */
  creates?: 'plain' | 'secret';
  /** The status of success, with the schema of its JSON; null: no body, or one that is not JSON. */
  gives: Readonly<Record<number, z.ZodType | null>>;
  /** Media types of success when it is not JSON; `*` + `/*` for any. */
  content?: readonly string[];
  /** Codes beyond those that follow from the rest of this value. */
  fails?: readonly ErrorCode[];
  /** Of these codes, the status here where it is not the code's own (`also` in rules/errors). */
  failsAs?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Headers of a success, beside those that follow from the rest of this value. */
  sends?: Readonly<Record<number, readonly AnswerHeader[]>>;
  /** It will be gone; see SunsetPlan. */
  deprecated?: SunsetPlan;
  /** Its answer comes when something happens, not as soon as it can. */
  waits?: true;
  run: (
    call: Call<z.output<B> | z.output<F>, QueryOf<Q>, A extends 'key' ? Principal : null, Services>,
  ) => Answer | Promise<Answer>;
}

/** A route, and the services that it runs on; any route is a plain `Route`, which the documents read and nobody runs. */
export interface Route<in Services = never> {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
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
  readonly query: Params;
  readonly creates: 'plain' | 'secret' | null;
  readonly gives: Readonly<Record<number, z.ZodType | null>>;
  readonly content: readonly string[];
  readonly fails: readonly ErrorCode[];
  readonly failsAs: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly sends: Readonly<Record<number, readonly AnswerHeader[]>>;
  readonly deprecated: SunsetPlan | null;
  readonly waits: boolean;
  readonly run: (call: Call<unknown, unknown, Principal | null, Services>) => Answer | Promise<Answer>;
}

/** A route with the services that it runs on. */
export interface ServedRoute {
  readonly route: Route;
  isOpen(): boolean;
  admit(request: Request, nowUs: number): Admitted | null;
  run(call: Omit<Call, 'services'>): Answer | Promise<Answer>;
}

export function servedWith<Services>(route: Route<Services>, services: Services): ServedRoute {
  return {
    route,
    isOpen: () => route.open?.(services) ?? true,
    admit: (request, nowUs) => route.admit?.(request, services, nowUs) ?? null,
    run: (call) => route.run({ ...call, services }),
  };
}

/** Bound of a request's body where the route names none (decisions.md, Requests). */
export const BODY_BYTES_MAX = 64 * 1024;

/** Of every request with a key: its own windows, and those that all keys of its account share. */
export const KEY_LIMITS: readonly LimitName[] = [
  'requests_per_minute',
  'requests_per_hour',
  'requests_account_per_minute',
  'requests_account_per_hour',
];

/** What makes the routes of a feature, from the services that they need. */
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
      query: spec.query ?? {},
      creates: spec.creates ?? null,
      gives: spec.gives,
      content: spec.content ?? ['application/json'],
      fails: spec.fails ?? [],
      failsAs: spec.failsAs ?? {},
      sends: spec.sends ?? {},
      deprecated: spec.deprecated ?? null,
      waits: spec.waits ?? false,
      // The pipeline has read body, query and key by this very value, so the call has its types.
      run: spec.run as Route<Services>['run'],
    };
  };
}

/** Makes the routes of those that need no more than the platform. */
export const route = routeOn<PlatformServices>();

/** The parameters of a path that the route matches, or null when it does not match. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return null;
    } else if (value === '') return null;
    else params[part.slice(1)] = decoded(value);
  }
  return params;
}

/** The path of a request's URL, still encoded. Bun gives the bare target when a request names no host (HTTP/1.0). */
export function pathOf(url: string): string {
  const from = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  if (from < 0) return '/';
  const to = url.slice(from).search(/[?#]/);
  return to < 0 ? url.slice(from) : url.slice(from, from + to);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
