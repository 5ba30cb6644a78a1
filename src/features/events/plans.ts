import type { PlatformServices } from '../../platform/services.ts';
import { planNames } from '../../rules/plans.ts';
import { setWebhookPlansOp } from './writes.ts';

/** Stores which plans include webhooks, because write operations can't read settings. Runs at each start. */
export async function storeWebhookPlans({ store, plans }: PlatformServices): Promise<void> {
  await store.write(
    setWebhookPlansOp,
    planNames.filter((plan) => plans[plan].webhooks > 0),
  );
}
