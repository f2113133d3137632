import { anvilPath } from "@disburse/testkit/evm/anvil.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningRail } from "./test-evm.ts";
import { finality, openTestEvm, runs, type TestEvm, until } from "./test-evm.ts";

describe.skipIf(anvilPath() === undefined)(
  "matrix: reorganisations around settlement, on anvil",
  () => {
    let evm: TestEvm;
    let rail: RunningRail;
    beforeAll(async () => {
      evm = await openTestEvm("reorganisations");
      rail = await evm.start();
    });
    afterAll(() => evm.stop());

    const depths = Array.from({ length: 10 }, (_each, at) => at + 1);

    it.each(depths)("of %d blocks leave each payout paid once", async (depth) => {
      const before = evm.events.length;
      // Some are final before the reorganisation, some are mined, some are in the pool.
      const old = await evm.pay(rail, 3);
      await evm.untilSent(old);
      await evm.mine(finality);
      await evm.untilAll(old, "settled");
      const fresh = await evm.pay(rail, 3);
      await evm.untilSent(fresh);
      await evm.mine();
      const youngest = await evm.pay(rail, 2);
      await evm.untilSent(youngest);
      await evm.anvil.reorganise(depth);
      // The next check of settled transfers.
      evm.after(15_000);
      const all = [...old, ...fresh, ...youngest];
      await evm.mineUntil(all, "settled");
      await until(async () => {
        await evm.mine();
        evm.after(6_000);
        return (await evm.contradictions(all)).length === 0;
      });
      expect(await evm.contradictions(all)).toEqual([]);
      const noted = evm.events.slice(before).filter((event) => event === "reorganised").length;
      // `fresh` was in the newest block, and `old` in the last final block.
      if (depth <= finality) expect(noted).toBe(0);
      else expect(noted).toBe(old.length);
    });

    it("that take away a revert which was final leave the payout rejected, and contradict it", async () => {
      const { anvil, token } = evm;
      await anvil.setMode(token, 3);
      await evm.mine();
      const keys = await evm.pay(rail, 1);
      await evm.untilSent(keys);
      await evm.mine(finality);
      await evm.untilAll(keys, "rejected");
      await anvil.reorganise(finality + 2);
      evm.after(15_000);
      await until(async () => (await rail.rail.query(keys[0] ?? "")).contradiction !== undefined);
      await runs();
      expect(await evm.contradictions(keys)).toEqual([]);
      expect((await rail.rail.query(keys[0] ?? "")).status.kind).toBe("rejected");
    });
  },
);
