/** Waits for something that happens outside the test, in real time: a fake clock does not move it. */

/** Polls until the condition holds. Throws with the condition's source if it still does not hold after `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endsAt)
      throw new Error(`After ${withinMs} ms this still does not hold: ${holds}`);
    await Bun.sleep(1);
  }
}
