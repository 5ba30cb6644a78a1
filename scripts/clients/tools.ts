/**
 * The programs that generate clients from the OpenAPI document, and the one that tests a server against it. Each is
 * installed into .tools/ on first use, in exactly the version that is pinned here.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const versions = {
  /** npm */
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  /** PyPI */
  'openapi-python-client': '0.29.1',
  schemathesis: '4.32.5',
  /** Go */
  'oapi-codegen': 'v2.8.2',
  /** Maven Central, with the SHA-256 of its jar */
  'openapi-generator': '7.25.0',
} as const;

const GENERATOR_SHA256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';
const GENERATOR_URL = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${versions['openapi-generator']}/openapi-generator-cli-${versions['openapi-generator']}.jar`;

const root = join(import.meta.dir, '../..');
const home = join(root, '.tools/clients');

export interface Ran {
  exitCode: number;
  /** Standard output and standard error. */
  output: string;
}

/** Runs a program until it ends, or kills it after `timeoutMs`. */
export async function run(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: options.timeoutMs ?? 300_000,
    killSignal: 'SIGKILL',
  });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: out + err };
}

/** Runs a program and returns its output. Throws if it fails. */
export async function mustRun(...given: Parameters<typeof run>): Promise<string> {
  const { exitCode, output } = await run(...given);
  if (exitCode !== 0) throw new Error(`${given[0].join(' ')}: exit code ${exitCode}\n${output.slice(-4000)}`);
  return output;
}

/** Installs a program from PyPI, and returns its path. Needs python3 with its venv module. */
export async function installPythonTool(name: 'openapi-python-client' | 'schemathesis'): Promise<string> {
  const folder = join(home, `${name}-${versions[name]}`);
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  mkdirSync(home, { recursive: true });
  await mustRun(['python3', '-m', 'venv', folder]);
  await mustRun([join(folder, 'bin/pip'), 'install', '--quiet', `${name}==${versions[name]}`]);
  return program;
}

/** Downloads openapi-generator's jar, and returns its path. */
export async function fetchGenerator(): Promise<string> {
  const jar = join(home, `openapi-generator-cli-${versions['openapi-generator']}.jar`);
  if (existsSync(jar)) return jar;
  const answer = await fetch(GENERATOR_URL);
  if (!answer.ok) throw new Error(`${GENERATOR_URL}: ${answer.status}`);
  const bytes = await answer.bytes();
  const sum = createHash('sha256').update(bytes).digest('hex');
  if (sum !== GENERATOR_SHA256) throw new Error(`${GENERATOR_URL} has the SHA-256 ${sum}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(jar, bytes);
  return jar;
}
