import { fail } from '../../platform/core/failure.ts';
import { isId } from '../../platform/core/id.ts';
import { readDomainName } from '../../platform/mail/domain-name.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { type Domain, findDomainById, findDomainByName } from './sql.ts';

/** Finds the domain that an operator names, by its id or its name. */
export function findDomain(reading: Reading, written: string): Domain {
  const read = readDomainName(written.trim());
  const domain = isId('domain', written)
    ? findDomainById(reading, written)
    : 'name' in read && findDomainByName(reading, read.name);
  return (
    domain || fail('not_found', { text: `There is no domain ${written}. postern domain list A shows them.` })
  );
}
