/** The servers in clients/contract/README.md (Where it runs), which the test suites of all clients share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, startServing } from '../doors/operator/command-process.ts';

interface ContractServer {
  url: string;
  /** `host:port` */
  smtp: string;
  api_key: string;
}

export interface ContractServers extends AsyncDisposable {
  servers: Record<'trap' | 'business' | 'free', ContractServer>;
  /** The variables by which a client's runner finds the servers. */
  env: { POSTERN_CONTRACT_SERVERS: string };
}

const TRAP_KEY = 'pst_live_trap_of_the_contract';

/** Starts the servers on free ports, as a user would. */
export async function startContractServers(): Promise<ContractServers> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-contract-'));
  const where = { POSTERN_DATA_DIR: dataDir };
  const [trap, server] = await Promise.all([
    startServing(['capture'], { POSTERN_CAPTURE_API_KEY: TRAP_KEY, POSTERN_CAPTURE_OPEN: 'off' }),
    startServing(['serve'], { ...where, POSTERN_LIMITS: 'off', POSTERN_OUTBOUND: 'direct' }),
  ]);
  const makeAccount = async (plan: string): Promise<ContractServer> => {
    const command = ['account', 'create', '--email', `${plan}@example.com`, '--plan', plan];
    const { api_key } = await posternJson<{ api_key: string }>(command, where);
    return { url: server.ready.http, smtp: server.ready.smtp, api_key };
  };
  const servers = {
    trap: { url: trap.ready.http, smtp: trap.ready.smtp, api_key: TRAP_KEY },
    business: await makeAccount('business'),
    free: await makeAccount('free'),
  };
  return {
    servers,
    env: { POSTERN_CONTRACT_SERVERS: JSON.stringify(servers) },
    async [Symbol.asyncDispose]() {
      await Promise.all([trap[Symbol.asyncDispose](), server[Symbol.asyncDispose]()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
