import type { ComponentChildren } from 'preact';
import { home } from '../base.ts';
import { Logo } from '../icons.tsx';

/** The frame of the sign-in pages: logo, title and form. */
export function DoorFrame({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <main class="grid min-h-full place-items-center overflow-y-auto px-4 py-10">
      <div class="w-full max-w-[22rem]">
        <div class="mb-6 flex items-center justify-center gap-2">
          <Logo class="size-7" />
          <span class="text-lg font-semibold tracking-tight">Postern</span>
        </div>
        <div class="card p-6">
          <h1 class="text-lg font-semibold">{title}</h1>
          {about && <p class="mt-1 text-sm break-words text-soft">{about}</p>}
          {children}
        </div>
      </div>
    </main>
  );
}

/** Opens the dashboard with a page load, so that nothing of the previous visitor stays in memory. */
export function enter(): void {
  // After a session that ended, continue on the same page.
  location.assign(location.pathname.startsWith(home) ? location.pathname + location.search : home);
}
