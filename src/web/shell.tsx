import { signal } from '@preact/signals';
import { me } from './api.ts';
import { home } from './base.ts';
import { Questions } from './dialog.tsx';
import { Icon, Logo } from './icons.tsx';
import { helpShown, isMac, useKeys } from './keys.ts';
import { lazily } from './lazy.tsx';
import { LoadedPage } from './loaded-page.tsx';
import { InboxList } from './mail/inbox-list.tsx';
import { fullPage, sidebar } from './mail/layout.ts';
import { notifying, toggleNotifying } from './mail/live.ts';
import { Mail, useMail } from './mail/mail.tsx';
import { Separator } from './mail/separator.tsx';
import { INBOXES } from './mail/shown.ts';
import { Palette, paletteShown } from './palette.tsx';
import { IconButton, PageBody } from './parts.tsx';
import { listAreas, type PageEntry, placeName, places, placesFor } from './places.ts';
import { go, Link, pathTo, segments } from './router.tsx';
import { ServerState } from './server-state.tsx';
import { chooseNextTheme, theme } from './theme.ts';
import { UNDO_KEY, undo } from './toast.tsx';
import { words } from './words/words.ts';

const Help = lazily(async () => (await import('./help.tsx')).Help, ['reading']);

const wideMedia = matchMedia('(min-width: 64rem)');
/** Whether there is room for the sidebar beside the page. Otherwise it is a page of its own. */
const wide = signal(wideMedia.matches);
wideMedia.addEventListener('change', ({ matches }) => {
  wide.value = matches;
});

/** The frame of every page: sidebar, main content, and overlays. */
export function Shell() {
  useMail();
  useKeys({
    'mod+k': () => {
      paletteShown.value = !paletteShown.value;
    },
    '?': () => {
      helpShown.value = true;
    },
    t: chooseNextTheme,
    [UNDO_KEY]: undo,
  });
  const [first] = segments.value;
  // On a phone the sidebar is a page, behind the mail.
  const isSidebar = first === INBOXES;
  return (
    <div
      class={`grid h-full grid-cols-1 ${fullPage.value ? '' : 'lg:grid-cols-[min(var(--sidebar),22vw)_minmax(0,1fr)]'}`}
      style={{ '--sidebar': `${sidebar.px.value}px` }}
    >
      <a
        href="#main"
        class="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        {words.frame.shell.skip}
      </a>
      {wide.value && (
        <aside
          aria-label={words.frame.shell.sidebar}
          class={`relative h-full min-h-0 flex-col border-r border-line ${fullPage.value ? 'hidden' : 'flex'}`}
        >
          <Side />
          <Separator pane={sidebar} />
        </aside>
      )}
      <main id="main" class="flex h-full min-h-0 min-w-0 flex-col">
        <ServerState />
        <div class="flex min-h-0 flex-1 flex-col">
          {isSidebar && !wide.value ? <Side isPage /> : <Current />}
        </div>
      </main>
      {paletteShown.value && <Palette />}
      {helpShown.value && (
        <Help
          onClose={() => {
            helpShown.value = false;
          }}
        />
      )}
      <Questions />
    </div>
  );
}

function Side({ isPage = false }: { isPage?: boolean }) {
  return (
    <>
      <Brand isPage={isPage} />
      <Sections />
      <Footer />
    </>
  );
}

function Brand({ isPage }: { isPage: boolean }) {
  const Name = isPage ? 'h1' : 'span';
  return (
    <div class="flex h-14 flex-none items-center gap-2 px-4">
      <Logo class="size-6 flex-none" />
      <Name class="text-lg font-semibold tracking-tight">Postern</Name>
      {me.value?.capture && <span class="tag ml-0.5">{words.frame.shell.capture}</span>}
      <button
        type="button"
        class="ml-auto rounded-md px-1 py-0.5 whitespace-nowrap hover:bg-hover lg:max-xl:hidden pointer-coarse:hidden"
        title={words.frame.palette.search}
        onClick={() => {
          paletteShown.value = true;
        }}
      >
        <kbd class="key">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
    </div>
  );
}

/** Mail and, for signed-in visitors, the account and server pages. */
function Sections() {
  const current = places.find(({ path }) => path === segments.value[0]);
  const sections = (['account', 'server'] as const).filter((section) => placesFor(section).length > 0);
  const section = current?.section;
  return (
    <>
      {sections.length > 0 && (
        <nav aria-label={words.frame.shell.sections} class="mx-3 mb-3 flex rounded-md bg-hover p-0.5">
          <Section to={pathTo('all')} name={words.frame.shell.mail} isCurrent={section === undefined} />
          {sections.map((each) => (
            <Section
              key={each}
              to={pathTo(placesFor(each)[0]!.path)}
              name={me.value?.capture ? words.frame.places.settings : words.frame.shell[each]}
              isCurrent={section === each}
            />
          ))}
        </nav>
      )}
      {section ? <PlaceList list={placesFor(section)} /> : <InboxList />}
    </>
  );
}

function Section({ to, name, isCurrent }: { to: string; name: string; isCurrent: boolean }) {
  return (
    <Link
      to={to}
      aria-current={isCurrent ? 'page' : undefined}
      class={`flex-1 rounded-[5px] py-1 text-center text-sm font-medium ${isCurrent ? 'bg-raised shadow-sm' : 'text-soft hover:text-ink'}`}
    >
      {name}
    </Link>
  );
}

function PlaceList({ list }: { list: PageEntry[] }) {
  return (
    <nav aria-label={words.frame.shell.pages} class="min-h-0 flex-1 overflow-y-auto px-2">
      {list.map((place) => {
        const { path, icon } = place;
        const isCurrent = segments.value[0] === path;
        return (
          <Link
            key={path}
            to={pathTo(path)}
            aria-current={isCurrent ? 'page' : undefined}
            class={`mb-px flex min-h-9 items-center gap-2.5 rounded-md px-2 py-1.5 ${isCurrent ? 'bg-tint font-medium text-tintink' : 'hover:bg-hover'}`}
          >
            <Icon name={icon} />
            {placeName(place)}
          </Link>
        );
      })}
    </nav>
  );
}

function Footer() {
  const visitor = me.value;
  return (
    <div class="flex flex-none items-center gap-0.5 border-t border-line px-2 py-1.5">
      {visitor?.user ? (
        <Link
          to={pathTo('sign-in')}
          title={words.frame.shell.profile(visitor.user.email)}
          class="min-w-0 flex-1 truncate rounded-md px-2 py-1.5 text-xs text-faint hover:bg-hover hover:text-ink"
        >
          {visitor.user.email}
        </Link>
      ) : (
        <span class="min-w-0 flex-1 truncate px-2 text-xs text-faint">Postern {visitor?.version}</span>
      )}
      <IconButton
        icon="bell"
        label={notifying.value ? words.frame.shell.notifyOff : words.frame.shell.notify}
        pressed={notifying.value}
        class={notifying.value ? 'text-accent!' : ''}
        onClick={() => void toggleNotifying()}
      />
      <IconButton
        icon={({ system: 'screen', light: 'sun', dark: 'moon' } as const)[theme.value]}
        label={words.frame.themes[theme.value]}
        shortcut="t"
        onClick={chooseNextTheme}
      />
      <IconButton
        icon="help"
        label={words.frame.help.title}
        shortcut="?"
        onClick={() => {
          helpShown.value = true;
        }}
      />
    </div>
  );
}

/** Replaces the sidebar on a phone: leads back to the mail and to the other pages. */
function PlaceBar({ of: place }: { of: PageEntry }) {
  return (
    <div class="flex h-14 flex-none items-center gap-1 border-b border-line px-2 lg:hidden">
      <Link to={home} class="button button-quiet button-icon" aria-label={words.frame.shell.backToMail}>
        <Icon name="back" />
      </Link>
      <select
        class="field border-transparent bg-transparent font-semibold"
        aria-label={words.frame.shell.page}
        value={place.path}
        onChange={(event) => go(pathTo(event.currentTarget.value))}
      >
        {(['account', 'server'] as const).map((section) => {
          const list = placesFor(section);
          return (
            list.length > 0 && (
              <optgroup key={section} label={words.frame.shell[section]}>
                {list.map((each) => (
                  <option key={each.path} value={each.path}>
                    {placeName(each)}
                  </option>
                ))}
              </optgroup>
            )
          );
        })}
      </select>
    </div>
  );
}

/** The page at the current path. */
function Current() {
  const [first, ...rest] = segments.value;
  if (first === undefined || first === 'all' || first === 'inbox' || first === INBOXES) return <Mail />;
  const place = placesFor().find(({ path }) => path === first);
  if (place) {
    return (
      <div class="flex h-full flex-col">
        <PlaceBar of={place} />
        <div class="min-h-0 flex-1">
          <LoadedPage key={place.path} load={place.load} areas={listAreas(place)} rest={rest} />
        </div>
      </div>
    );
  }
  return (
    <PageBody title={words.frame.shell.notFound}>
      <Link to={home} class="text-accent underline">
        {words.frame.shell.backToMail}
      </Link>
    </PageBody>
  );
}
