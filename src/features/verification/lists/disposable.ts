/** Made by scripts/refresh-lists; what stands in disposable.bin beside this. */
export const disposableList = {
  /** The release of the newest source. */
  date: '2026-09-21',
  domains: 178506,
  sources: {
    'disposable-email-domains-js 1.26.0': '2026-09-21',
    '@dahoom/disposable-email 0.3.253': '2026-05-14',
    'disposable-domains 2.0.1': '2026-08-24',
  },
} as const;
