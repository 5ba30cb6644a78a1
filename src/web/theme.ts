import { computed, effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'postern.theme';

/** The chosen theme, stored in this browser; `system` follows the operating system. */
export const theme = signal<Theme>(readStoredTheme());

effect(() => {
  const root = document.documentElement;
  if (theme.value === 'system') {
    delete root.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    root.dataset.theme = theme.value;
    localStorage.setItem(KEY, theme.value);
  }
});

const darkMedia = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(darkMedia.matches);
darkMedia.addEventListener('change', ({ matches }) => {
  systemDark.value = matches;
});

/** Whether the page is dark now, by choice or by the system. */
export const isDark = computed(() => (theme.value === 'system' ? systemDark.value : theme.value === 'dark'));

function readStoredTheme(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function chooseNextTheme(): void {
  theme.value = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme.value];
}
