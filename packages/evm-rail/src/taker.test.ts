import { describe, expect, it } from "vitest";
import { takerAmong } from "./agreed-snapshot.ts";

const [token, other] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`] as const;
const call = { to: token, value: 0n, data: "0xa9059cbb01" } as const;
const shown = (change: object = {}) => ({
  ...{ hash: "0xaa" as const, blockNumber: 7n, blockHash: "0xbb" as const },
  ...{ to: other, value: 1n, input: "0x" as const },
  ...change,
});
const same = { to: token, value: 0n, input: call.data };

describe("the transaction that took a nonce", () => {
  it.each<[string, (ReturnType<typeof shown> | undefined)[], number, boolean | undefined]>([
    ["is another payment where all show that", [shown(), shown()], 2, false],
    ["is the same payment where all show that", [shown(same), shown(same)], 2, true],
    // A lying node could have the payout paid by a second nonce.
    ["is the same payment where one shows that", [shown(), shown(same)], 2, true],
    ["is known where enough show it", [shown(), undefined, shown()], 2, false],
    ["is not known where too few do", [shown(), undefined], 2, undefined],
    [
      "is not known where they show different ones",
      [shown(), shown({ hash: "0xcc" })],
      2,
      undefined,
    ],
    [
      "is not known where one names another",
      [shown(), shown(), shown({ hash: "0xcc" })],
      2,
      undefined,
    ],
  ])("%s", (_what, found, agreeing, isSamePayment) => {
    const taker = takerAmong(found, agreeing, call);
    expect(taker?.isSamePayment).toBe(isSamePayment);
    if (taker !== undefined) expect(taker).toMatchObject({ id: "0xaa", height: 7, block: "0xbb" });
  });

  it("is no payment of a nonce that no transfer has", () => {
    expect(takerAmong([shown(same)], 1, undefined)?.isSamePayment).toBe(false);
  });
});
