import { anvilPath } from "@disburse/testkit/evm/anvil.ts";
import { describe, expect, it } from "vitest";
import { openTestEvm } from "./test-evm.ts";

/** Decision 0047 requires this throughput. */
const [payouts, secondsMax] = [500, 60];

describe.skipIf(anvilPath() === undefined)("matrix: many payouts from one wallet, on anvil", () => {
  it("are paid in their time with blocks of a second, 2 confirmations and 16 unmined", async () => {
    const evm = await openTestEvm("throughput", 1);
    try {
      const rail = await evm.start({ finality: 2 });
      await evm.anvil.client.setIntervalMining({ interval: 1 });
      const startedAt = performance.now();
      let most = 0;
      const watching = setInterval(() => {
        most = Math.max(most, rail.wallet.state()?.unmined ?? 0);
      }, 100);
      const keys = await evm.pay(rail, payouts);
      await evm.untilAll(keys, "settled");
      clearInterval(watching);
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stdout.write(
        `${payouts} payouts in ${Math.round(seconds)} s, ${most} unmined at most\n`,
      );
      expect(await evm.contradictions(keys)).toEqual([]);
      expect(most).toBeLessThanOrEqual(16);
      expect(seconds).toBeLessThan(secondsMax);
    } finally {
      await evm.stop();
    }
  });
});
