/** Makes the image's configuration. The Dockerfile has the same one; test/features/image.test.ts compares them. */
import { type Platform, platforms } from './platforms.ts';
import { USER_ID } from './root.ts';

/** The networks of containers and homes. Only from there can a trap in a container be reached. */
const TRAP_NETWORKS = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';

const SECOND_NS = 1_000_000_000;

export interface ConfigInput {
  platform: Platform;
  version: string;
  revision: string;
  createdS: number;
}

export const formatTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');

export function makeLabels({ version, revision, createdS }: Omit<ConfigInput, 'platform'>) {
  return {
    'org.opencontainers.image.created': formatTime(createdS),
    'org.opencontainers.image.description': 'Email inboxes for tests, programs and agents.',
    'org.opencontainers.image.licenses': 'MIT',
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.title': 'Postern',
    'org.opencontainers.image.vendor': 'Postern',
    'org.opencontainers.image.version': version,
  };
}

/**
 * As OCI's image-spec has it. `Healthcheck` is Docker's addition to it, which BuildKit writes too, and which Docker and
 * Podman read from an OCI image as well.
 */
export function makeConfig(input: ConfigInput) {
  return {
    created: formatTime(input.createdS),
    architecture: platforms[input.platform].arch,
    os: 'linux',
    config: {
      User: `${USER_ID}:${USER_ID}`,
      ExposedPorts: { '1025/tcp': {}, '8025/tcp': {} },
      Env: [
        'PATH=/',
        'POSTERN_HTTP_LISTEN=0.0.0.0:8025',
        'POSTERN_SMTP_LISTEN=0.0.0.0:1025',
        `POSTERN_TRAP_NETWORKS=${TRAP_NETWORKS}`,
        'POSTERN_WITHOUT_ACCOUNTS=defer',
        'POSTERN_LOG=pretty',
      ],
      Entrypoint: ['/postern'],
      Cmd: ['capture'],
      Volumes: { '/data': {} },
      WorkingDir: '/',
      Labels: makeLabels(input),
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/postern', 'ready'],
        Interval: 30 * SECOND_NS,
        Timeout: 5 * SECOND_NS,
        StartPeriod: 10 * SECOND_NS,
        Retries: 3,
      },
    },
  };
}

export type ImageConfig = ReturnType<typeof makeConfig>;
