import type { TrapView } from '../../doors/dashboard/wire.ts';
import { me } from '../api.ts';
import { useData } from '../data.ts';
import { PageBody } from '../parts.tsx';
import { Loaded, Part } from '../rows.tsx';
import { MailerTabs, SmtpFacts } from '../smtp-settings.tsx';
import { words } from '../words/words.ts';

/** How programs send their mail to the trap. */
export default function Trap() {
  const t = words.trap;
  const trap = useData<TrapView>('trap');
  return (
    <PageBody title={words.frame.places.trap} about={me.value?.release_allow ? t.aboutRelease : t.about}>
      <Loaded of={trap}>
        {(view) => (
          <>
            <Part title="SMTP">
              <SmtpFacts of={view} />
            </Part>
            <Part title={t.settings} about={view.needs_key ? t.replaceKey : undefined}>
              <MailerTabs mailers={view.mailers} />
            </Part>
          </>
        )}
      </Loaded>
    </PageBody>
  );
}
