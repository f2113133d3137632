import { freshKey, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { testAddress } from "@disburse/testkit/solana/svm-chain.ts";
import { token2022 } from "@disburse/testkit/solana/tokens.ts";
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SolanaRail } from "./open.ts";
import { openTestSolana, type TestSolana } from "./test-solana.ts";

let solana: TestSolana;
let opened: SolanaRail;
beforeAll(async () => {
  solana = await openTestSolana("solana");
  opened = await solana.open({ settles_in_seconds: 20 });
  await opened.run();
});
afterAll(() => solana?.stop());
afterEach(() => {
  for (const front of solana.fronts) front.set({});
});

/** Runs the rail and mines until every transfer has ended. */
const settle = async () => {
  const open = await solana.store.find({ open: { $exists: true } }).toArray();
  await solana.runUntil(
    opened,
    open.map(({ _id }) => _id),
    ...["settled", "failed", "refused"],
  );
};

describe("a rail on Solana", () => {
  keepsRailContract(() => ({
    rail: opened.rail,
    transfer: solana.transferOf("po_999"),
    settle,
    paid: async (key) => {
      const ids = (await solana.store.findOne({ _id: key }))?.attempts.map(({ id }) => id) ?? [];
      const mined = solana.chain.blocks.flatMap(({ transactions }) => transactions);
      return mined.filter(({ signature, error }) => ids.includes(signature) && error === null)
        .length;
    },
  }));

  it("gives an expected time if one is configured", () => {
    const now = new Date("2026-11-20T11:26:00Z");
    const expected = new Date("2026-11-20T11:26:20Z");
    expect(opened.rail.expectedAt?.(solana.transferOf("po_1"), now)).toEqual(expected);
  });

  it.each([
    ["a token of the first program", "USDC_SOL", 1_500_000n, "1.500000"],
    ["a token of Token-2022", "PYUSD_SOL", 2_500_000n, "2.500000"],
    ["SOL", "SOL", 3_000_000n, "0.003000000"],
  ])("moves exactly the ordered amount of %s", async (_what, currency, amount, text) => {
    const to = testAddress(5_000 + Number(amount % 1_000n) + currency.length);
    const key = freshKey();
    await opened.rail.submit(key, {
      ...solana.transferOf("po_1"),
      currency,
      amount,
      accountNumber: to,
    });
    await solana.runUntil(opened, [key], "settled");
    const coins = solana.chain.at(solana.chain.tip().height).getBalance(to) ?? 0n;
    const received = {
      USDC_SOL: await solana.balanceOf(to),
      PYUSD_SOL: await solana.balanceOf(to, solana.pyusd, token2022),
      SOL: BigInt(coins),
    }[currency];
    expect(received).toBe(amount);
    const reply = await opened.rail.query(key);
    const { id } = await solana.newestOf(key);
    expect(reply).toEqual({
      status: { kind: "settled", reference: id },
      transferred: { amount: text, currency },
    });
  });

  it("puts the payout's id into a memo before the transfer", async () => {
    const [key = ""] = await solana.pay(opened, 1);
    await solana.runUntil(opened, [key], "settled");
    const { id, raw } = await solana.newestOf(key);
    const mined = solana.chain.blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ signature }) => signature === id);
    expect(mined.map((each) => Buffer.from(each.raw))).toEqual([Buffer.from(raw.buffer)]);
    const logs = mined[0]?.logs ?? [];
    const invoked = logs.filter((line) => line.endsWith("invoke [1]"));
    expect(invoked.at(-1)).toContain(TOKEN_PROGRAM_ADDRESS);
    expect(invoked.at(-2)).toContain("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
    expect(Buffer.from(raw.buffer).includes(key)).toBe(true);
  });

  it("settles when its block is final on both nodes, and not before", async () => {
    const [key = ""] = await solana.pay(opened, 1);
    await opened.run();
    solana.chain.mine();
    expect(await solana.balanceOf(solana.recipientOf(key))).toBe(solana.amountOf(key));
    await opened.run();
    expect((await opened.rail.query(key)).status.kind).toBe("accepted");
    solana.chain.mine(3);
    solana.set(1, { behind: 1 });
    await opened.run();
    expect((await opened.rail.query(key)).status.kind).toBe("accepted");
    solana.set(1, {});
    await opened.run();
    expect((await opened.rail.query(key)).status.kind).toBe("settled");
  });
});
