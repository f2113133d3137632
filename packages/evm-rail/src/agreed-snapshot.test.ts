import { describe, expect, it } from "vitest";
import { agreedSnapshot, type NodeSnapshot } from "./agreed-snapshot.ts";

const token = "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238" as const;
const assets = new Map([
  ["USDC_ETH", { token }],
  ["ETH", { token: undefined }],
]);
const node = (change: Partial<NodeSnapshot> = {}): NodeSnapshot => ({
  ...{ height: 100, mined: 7, pending: 9, final: 5, baseFee: 10n, coin: 50n },
  tokens: new Map([[token, 1_000n]]),
  blocked: [],
  ...change,
});
const snapshot = (snapshots: readonly NodeSnapshot[], agreeing = snapshots.length) =>
  agreedSnapshot(snapshots, agreeing, assets, "ETH");

describe("the combined snapshot of nodes", () => {
  it("is what money can rely on: the least of what is there, the most of what it costs", () => {
    const poor = new Map([[token, 900n]]);
    const behind = { height: 99, mined: 6, pending: 6, final: 4 };
    expect(snapshot([node(), node({ ...behind, baseFee: 12n, coin: 60n, tokens: poor })])).toEqual({
      ...{ height: 99, minedLeast: 6, minedMost: 7, pendingMost: 9, finalNonce: 4, baseFee: 12n },
      frozen: [],
      funds: { native: "ETH", coin: 50n, tokens: new Map([["USDC_ETH", 900n]]) },
    });
  });

  it("is nothing where fewer answer than have to agree", () => {
    expect(snapshot([], 1)).toBeUndefined();
    expect(snapshot([node()], 2)).toBeUndefined();
    expect(snapshot([node()], 1)).toBeDefined();
  });

  it("is not stopped by a stalled node if enough others agree", () => {
    const still = node({ height: 3, mined: 0, pending: 0, final: 0, coin: 0n, tokens: new Map() });
    expect(snapshot([still, node(), node()], 2)).toMatchObject({
      ...{ height: 100, minedLeast: 7, finalNonce: 5 },
      funds: { coin: 50n, tokens: new Map([["USDC_ETH", 1_000n]]) },
    });
    expect(snapshot([still, node(), node()])).toMatchObject({ height: 3, minedLeast: 0 });
  });

  it("counts no nonce as final and no money as present by one node alone", () => {
    const liar = node({ height: 10_000, mined: 900, pending: 900, final: 900, coin: 10n ** 30n });
    expect(snapshot([node(), liar, node()], 2)).toMatchObject({
      ...{ height: 100, minedLeast: 7, finalNonce: 5, funds: { coin: 50n } },
      // These values alone stop the wallet, until operators act.
      ...{ minedMost: 900, pendingMost: 900 },
    });
  });

  it("show a wallet as frozen if any node does", () => {
    expect(snapshot([node(), node({ blocked: [token] })])?.frozen).toEqual(["USDC_ETH"]);
  });
});
