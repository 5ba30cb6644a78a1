import { findAccount } from '../../features/accounts/find.ts';
import { removeSuppression, viewSuppression } from '../../features/outbound/suppression/list.ts';
import { listSuppressions } from '../../features/outbound/suppression/sql.ts';
import type { SuppressionView } from '../../features/outbound/wire.ts';
import { accountArgument } from './account.ts';
import { given, type StoreCommand } from './command.ts';
import { formatTable } from './table.ts';

const list: StoreCommand = {
  name: 'suppression list',
  meaning:
    "list the addresses that an account can't send to, because they refused its mail permanently; kept for 30 days",
  arguments: [accountArgument],
  async run({ services: { store, clock } }, input): Promise<SuppressionView[]> {
    const { no } = findAccount(store, given(input, 'a'));
    return listSuppressions(store, no, clock.nowUs()).map(viewSuppression);
  },
  show: (rows: SuppressionView[]) =>
    rows.length === 0
      ? 'No addresses are suppressed.'
      : formatTable(
          ['EMAIL', 'SINCE', 'UNTIL', 'REASON'],
          rows.map(({ email, created_at, expires_at, reason }) => [
            email,
            created_at.slice(0, 10),
            expires_at.slice(0, 10),
            reason,
          ]),
        ),
};

const remove: StoreCommand = {
  name: 'suppression remove',
  meaning: 'let an account send to an address again',
  arguments: [accountArgument, { name: 'EMAIL', meaning: 'the address' }],
  examples: ['postern suppression remove ann@example.com bob@example.org'],
  run: async ({ services }, input) =>
    removeSuppression(services, findAccount(services.store, given(input, 'a')), given(input, 'email')),
  show: ({ email }: SuppressionView) => `The account can send to ${email} again.`,
};

export const suppressionCommands: readonly StoreCommand[] = [list, remove];
