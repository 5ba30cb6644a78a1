/**
 * Line icons of one weight, 20 units wide. They are decorative: a label or the text beside them has the meaning. Lucide's
 * cost more: 3.4 KB of the first load as lucide-preact, or 26 lines that pick 33 of 1,928 at build time, and 0.6 KB.
 */
const paths = {
  mail: 'M3 5.500h14v9H3zM3.500 6l6.500 5 6.500-5',
  inboxOff: 'M5.500 5 3 11.500v4h11M9 4.500h6l2 7v3.500M3 11.500h4l1 2h3.500M15.500 11.500H17M3 3l14 14',
  rowsHigh: 'M3 4h14v5H3zM3 12h14v5H3z',
  rowsLow: 'M3 5h14M3 10h14M3 15h14',
  inbox: 'M3 11.500 5 4.500h10l2 7v4H3zM3 11.500h4l1 2h4l1-2h4',
  plus: 'M10 4.500v11M4.500 10h11',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l3.500 3.500',
  copy: 'M7 7h9v9H7zM13 7V4H4v9h3',
  check: 'm4.500 10.500 3.500 3.500 7.500-8',
  trash: 'M4 5.500h12M8 5.500v-2h4v2M5.500 5.500l.8 11h7.400l.8-11M8.500 8.500v5M11.500 8.500v5',
  back: 'M12.500 4.500 7 10l5.500 5.500',
  reply: 'M8.500 5 4 9.500l4.500 4.500M4 9.500h7a5 5 0 0 1 5 5v1',
  forward: 'M7.500 4.500 13 10l-5.500 5.500',
  more: 'M4.500 10h.01M10 10h.01M15.500 10h.01',
  sun: 'M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100',
  moon: 'M16 11.500A6.500 6.500 0 0 1 8.500 4a6.500 6.500 0 1 0 7.500 7.500z',
  screen: 'M3 4.500h14v9H3zM7.500 16.500h5M10 13.500v3',
  phone: 'M6.500 3h7v14h-7zM9 15h2',
  tablet: 'M4.500 3h11v14h-11zM9 15h2',
  bell: 'M5 14V9a5 5 0 0 1 10 0v5l1.500 1.500h-13zM8.500 17.500h3',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8a2 2 0 1 1 2.700 1.900c-.5.200-.7.600-.7 1.100v.5M10 13.700h.01',
  link: 'M8.500 11.500a3 3 0 0 0 4.200 0l2.600-2.600a3 3 0 0 0-4.200-4.200l-.9.900M11.500 8.500a3 3 0 0 0-4.200 0l-2.600 2.600a3 3 0 0 0 4.200 4.200l.9-.9',
  open: 'M11 4h5v5M16 4l-7 7M13.500 11.500V16H4V6.500h4.500',
  grow: 'M12 4h4v4M16 4l-4.500 4.500M8 16H4v-4M4 16l4.500-4.500',
  shrink: 'M16 8.500h-4.500V4M11.500 8.500 16 4M4 11.500h4.500V16M8.500 11.500 4 16',
  panel: 'M3 4.500h14v11H3zM8 4.500v11',
  download: 'M10 3.500v9M6 9l4 4 4-4M4 16.500h12',
  clip: 'm15.500 9.500-5.700 5.700a3.400 3.400 0 0 1-4.800-4.800l6-6a2.300 2.300 0 0 1 3.200 3.200l-6 6a1.100 1.100 0 0 1-1.600-1.600l5.300-5.300',
  read: 'M3 8.500 10 4l7 4.500v7.500H3zM3.500 9l6.500 4 6.500-4',
  unread: 'M12 5.500H3v9h14V10.500M3.500 6l6.500 5 2.500-2M16.500 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  close: 'm5 5 10 10M15 5 5 15',
  warn: 'M10 3.500 17.500 16.500h-15zM10 8.500v3.500M10 14.200h.01',
  send: 'M17 3 8.500 11.500M17 3l-5 14-3.500-5.500L3 8z',
  key: 'M7 13a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10.500 9.500H17v3M14 9.500v2',
  hook: 'M10 3.500v6M6 12a4 4 0 1 0 8 0c0-1.500-.8-2.500-2-3.200',
  globe:
    'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3 10h14M10 3c2 2 3 4.500 3 7s-1 5-3 7c-2-2-3-4.500-3-7s1-5 3-7z',
  people:
    'M7.500 9.500a2.750 2.750 0 1 0 0-5.500 2.750 2.750 0 0 0 0 5.500zM2.500 16c0-3 2-4.500 5-4.500s5 1.500 5 4.500M13 4.200a2.750 2.750 0 0 1 0 5.200M14.500 11.800c2 .5 3 2 3 4.200',
  chart: 'M4 16.500V9M10 16.500v-13M16 16.500V12',
  list: 'M7 5h10M7 10h10M7 15h10M3.500 5h.01M3.500 10h.01M3.500 15h.01',
  gear: 'M10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM10 3v2M10 15v2M3 10h2M15 10h2M5 5l1.500 1.500M13.500 13.500 15 15M15 5l-1.500 1.500M6.500 13.500 5 15',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, class: more = '' }: { name: IconName; class?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      class={`size-[1.125rem] flex-none ${more}`}
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' || name === 'list' ? 2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of Postern, always beside its name. */
export function Logo({ class: size }: { class: string }) {
  return (
    <svg viewBox="0 0 32 32" class={size} aria-hidden="true">
      <path d="M5 29V15a11 11 0 0 1 22 0v14z" fill="var(--color-accent)" />
      <path d="M10.5 17.5h11v7h-11z" fill="var(--color-paper)" />
      <path d="m10.5 18 5.5 4 5.5-4" fill="none" stroke="var(--color-accent)" stroke-width="1.6" />
    </svg>
  );
}
