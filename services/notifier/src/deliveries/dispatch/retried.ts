import { setTimeout as pause } from "node:timers/promises";

/** While the store is away a result is kept for as long as its lease may last. */
const triesMax = 20;
const retryMs = 1_000;

/** Writes, again and again while the store is away, and tells each failure; then gives up. */
export async function retried(
  write: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      failed(error);
      if (tries === triesMax) return;
      await pause(retryMs);
    }
  }
}
