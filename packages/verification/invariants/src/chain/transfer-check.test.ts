import { describe, expect, it } from "vitest";
import type { Mined } from "./node.ts";
import { type ChainTransfer, checkChainTransfer } from "./transfer-check.ts";

const [from, to, contract] = ["0xaa", "0xbb", "0xcc"];
const transfer: ChainTransfer = {
  ...{ _id: "po_1", wallet: `1:${from}`, currency: "USDC_ETH", to, state: "settled" },
  ...{ amount_minor: 5n, attempts: [{ id: "0x1" }, { id: "0x2" }], end: { id: "0x2" } },
};
const moved = (hash: string, value = 5n) => ({ hash, contract, from, to, value });
const mined = (hash: string, change: Partial<Mined> = {}): Mined => ({
  ...{ hash, succeeded: true, to: contract, value: 0n, moves: [moved(hash)] },
  ...change,
});
const payout = (stage: string, reference = "") => ({ _id: "po_1", progress: { stage, reference } });
const settled = payout("settled", "0x2");
const check = (
  change: Partial<ChainTransfer>,
  of: ReturnType<typeof payout> | undefined,
  found: Mined[],
  decimals = 6,
) =>
  checkChainTransfer({ ...transfer, ...change }, of, found, () => decimals).map(
    (each) => each.detail,
  );

describe("a transfer and the chain", () => {
  it.each<[string, Partial<ChainTransfer>, Mined[], number?]>([
    ["a payment in the token", {}, [mined("0x2")]],
    ["a token of more digits", {}, [mined("0x2", { moves: [moved("0x2", 5n * 10n ** 12n)] })], 18],
    ["the chain's own coin", { currency: "ETH" }, [mined("0x2", { to, value: 5n, moves: [] })], 18],
  ])("agree on %s", (_what, change, found, decimals) => {
    expect(check(change, settled, found, decimals)).toEqual([]);
  });

  it.each<[string, Partial<ChainTransfer>, ReturnType<typeof payout> | undefined, Mined[], string]>(
    [
      ["that is not there", {}, settled, [], "no transaction of it is on the chain"],
      ["that was made twice", {}, settled, [mined("0x2"), mined("0x1")], "paid by 2 transactions"],
      ["that reverted", {}, settled, [mined("0x2", { succeeded: false })], "no transaction of it"],
      [
        "of another amount",
        {},
        settled,
        [mined("0x2", { moves: [moved("0x2", 4n)] })],
        "paid 4 units of 5",
      ],
      [
        "to somebody else",
        {},
        settled,
        [mined("0x2", { moves: [{ ...moved("0x2"), to: "0xdd" }] })],
        "no transaction of it",
      ],
      ["by another transaction", {}, settled, [mined("0x1")], "another transaction than it names"],
      [
        "that its payout does not name",
        {},
        payout("settled", "0x9"),
        [mined("0x2")],
        "does not name its payment",
      ],
      [
        "of a rejected transfer",
        { state: "rejected" },
        payout("rejected"),
        [mined("0x1")],
        "is rejected, but the chain has paid",
      ],
      [
        "of a cancelled nonce",
        { state: "cancelled" },
        payout("rejected"),
        [mined("0x1")],
        "is cancelled, but",
      ],
      [
        "of a failed payout",
        { state: "numbered" },
        payout("rejected"),
        [mined("0x1")],
        "its payout is rejected",
      ],
      ["without a payout", {}, undefined, [mined("0x2")], "without a payout"],
      [
        "of a gap",
        { gap: true },
        undefined,
        [mined("0x2")],
        "should only fill a nonce gap, but paid",
      ],
    ],
  )("disagree on a payment %s", (_what, change, of, found, detail) => {
    expect(check(change, of, found).join("\n")).toContain(detail);
  });

  it("agree that a cancelling transaction pays nothing", () => {
    const attempts = [{ id: "0x1" }, { id: "0x2", cancels: true }];
    const coin = [mined("0x2", { to, value: 5n, moves: [] })];
    expect(check({ state: "cancelled", attempts }, payout("rejected"), coin)).toEqual([]);
  });
});
