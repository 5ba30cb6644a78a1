import type { ComponentChildren } from 'preact';

interface TabListProps<Tab> {
  /** What the tabs are, for screen readers. */
  label: string;
  /** The id of the element with `role="tabpanel"` that shows the current tab. */
  panelId: string;
  tabs: readonly Tab[];
  current: Tab;
  /** Returns what is written on a tab. */
  render: (tab: Tab) => ComponentChildren;
  onChoose: (tab: Tab) => void;
  class: string;
}

/** A line of tabs: one stop for the Tab key; the arrow keys choose the tab before or after (ARIA, tabs pattern). */
export function TabList<Tab extends { name: string }>(props: TabListProps<Tab>) {
  const { label, panelId, tabs, current, render, onChoose, class: more } = props;
  return (
    <div
      role="tablist"
      aria-label={label}
      class={`flex overflow-x-auto border-b border-line ${more}`}
      onKeyDown={(event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length]!;
        onChoose(next);
        document.getElementById(findTabId(panelId, next.name))?.focus();
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.name}
          id={findTabId(panelId, tab.name)}
          type="button"
          role="tab"
          aria-selected={tab === current}
          aria-controls={panelId}
          tabIndex={tab === current ? 0 : -1}
          class={`-mb-px flex-none border-b-2 px-2.5 py-2 text-sm font-medium outline-offset-[-2px] pointer-coarse:py-3 ${
            tab === current ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'
          }`}
          onClick={() => onChoose(tab)}
        >
          {render(tab)}
        </button>
      ))}
    </div>
  );
}

/** The id of a tab, for the `aria-labelledby` of its panel. */
export function findTabId(panelId: string, name: string): string {
  return `${panelId}-${name.replace(/\W+/g, '-')}`;
}
