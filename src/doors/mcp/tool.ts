import type { z } from 'zod';
import type { Method } from '../../platform/http/route.ts';

/** One request to the HTTP API. */
export interface ApiRequest {
  method?: Method;
  /** The path below /api/v1, with a leading slash. */
  path: string;
  /** Undefined values are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  signal: AbortSignal;
}

/** Sends a request to the API, inside this process or over HTTP. Throws `ServerGone` if no server answers. */
export type AskApi = (question: ApiRequest) => Promise<Response>;

/** Returns the whole path of a request, with its query. */
export function writePath({ path, query = {} }: Pick<ApiRequest, 'path' | 'query'>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, String(value));
  return `/api/v1${path}${text.size > 0 ? `?${text}` : ''}`;
}

/** Thrown when no server answers, or one that is not a Postern. A wait then tries again. */
export class ServerGone extends Error {
  override name = 'ServerGone';
}

/** An error for the model, in the API's form. */
export class ToolRefused extends Error {
  override name = 'ToolRefused';
  constructor(readonly error: Record<string, unknown>) {
    super(String(error.message));
  }
}

export interface ToolCall<Args> {
  args: Args;
  ask: AskApi;
  /** Aborts when the client cancels or hangs up. */
  signal: AbortSignal;
  /** Reports progress, if the client asked for it. */
  report(doneS: number, totalS: number): Promise<void>;
}

/** What a tool returns: JSON, and files for the client to keep. */
export interface ToolResult {
  json: Record<string, unknown>;
  files?: readonly { uri: string; mimeType: string; base64: string }[];
}

export interface Tool {
  name: string;
  title: string;
  /** For a model: when to use it, what comes back, how long it takes. */
  description: string;
  args: z.ZodObject;
  /** The tool changes nothing. */
  isReadOnly?: true;
  /** The tool acts outside of this server: it sends email, or asks other servers. */
  isOpenWorld?: true;
  run(call: ToolCall<never>): Promise<ToolResult>;
}

/** Derives the type of `run`'s arguments from `args`. */
export function defineTool<Args extends z.ZodObject>(
  tool: Omit<Tool, 'args' | 'run'> & {
    args: Args;
    run(call: ToolCall<z.output<Args>>): Promise<ToolResult>;
  },
): Tool {
  return tool;
}

interface ErrorBody {
  error?: { code?: string; message?: string; fields?: Record<string, string[]>; request_id?: string };
}

/** Sends a request, and returns a successful response. Throws ToolRefused for an error of the API. */
export async function askFor(
  call: ToolCall<unknown>,
  question: Omit<ApiRequest, 'signal'>,
): Promise<Response> {
  const answer = await call.ask({ ...question, signal: call.signal });
  if (answer.ok) return answer;
  const { error } = ((await answer.json().catch(() => null)) ?? {}) as ErrorBody;
  if (!error?.code) throw new ServerGone(`The server answered ${answer.status}, but not as Postern does.`);
  const [field, reasons] = Object.entries(error.fields ?? {})[0] ?? [];
  const retryAfterS = answer.headers.get('retry-after');
  throw new ToolRefused({
    code: error.code,
    message: error.message,
    ...(field !== undefined && { field, reason: reasons?.[0] }),
    ...(retryAfterS !== null && { retry_after_s: Number(retryAfterS) }),
    request_id: error.request_id,
  });
}

/** Sends a request, and returns the `data` of its response. Throws like `askFor`. */
export async function askData<Data>(
  call: ToolCall<unknown>,
  question: Omit<ApiRequest, 'signal'>,
): Promise<Data> {
  const answer = await askFor(call, question);
  return ((await answer.json()) as { data: Data }).data;
}
