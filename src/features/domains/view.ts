import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import { mxHost } from '../../platform/core/settings.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { makeChallengeHost } from './records.ts';
import type { Domain as DomainRow } from './sql.ts';
import type { DomainView } from './wire.ts';

export function viewDomain({ settings }: Pick<PlatformServices, 'settings'>, row: DomainRow): DomainView {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    verification_txt_host: makeChallengeHost(row.name),
    verification_token: row.verification_token,
    mx_target: mxHost(settings),
    last_checked_at: isoTimeOrNull(row.last_checked_at),
    last_error: row.last_error,
    catch_all: row.catch_all === 1,
    catch_all_inbox_id: row.catch_all_inbox_id,
    dkim_status: row.dkim_status,
    dkim_selector: row.dkim_selector,
    dkim_public_key_txt: row.dkim_public_key_txt,
    created_at: isoTime(row.created_at),
  };
}
