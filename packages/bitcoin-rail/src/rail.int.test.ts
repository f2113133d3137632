import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { freshKey, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { bitcoindCommand } from "@disburse/testkit/bitcoin/bitcoind.ts";
import { NETWORK, p2wpkh } from "@scure/btc-signer";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bitcoinMetrics } from "./metrics.ts";
import { type BitcoinRail, openBitcoinRail } from "./open.ts";
import { freshKeys, openTestBitcoin, type TestBitcoin, transferTo } from "./test-bitcoin.ts";

const found = await bitcoindCommand();
const skipped = "why" in found ? ` (skipped: ${found.why})` : "";

describe.skipIf("why" in found)(`a rail on Bitcoin, on a real node${skipped}`, () => {
  let world: TestBitcoin;
  let running: BitcoinRail & { stop(): Promise<void> };
  const metrics = createMetrics("test");
  const payee = freshKeys();
  let ownAddress = "";
  const clock = { now: () => new Date() };

  beforeAll(async () => {
    world = await openTestBitcoin("command" in found ? found.command : []);
    const { settings, key } = await world.wallet([1, 1, 1], { settles_in_seconds: 3_600 });
    ownAddress = p2wpkh(key.publicKey, NETWORK).address ?? "";
    const deps = { database: world.database, clock, log: silentLog, isPaused: async () => false };
    const ofRail = bitcoinMetrics(metrics, [settings]);
    const opened = await openBitcoinRail(settings, { ...deps, metrics: ofRail });
    running = { ...opened, ...opened.start() };
    await until(() => running.rail.available());
  });
  afterAll(async () => {
    await running?.stop();
    await world?.stop();
  });

  /** Mines blocks until every batch has ended. */
  const settle = () =>
    until(async () => {
      await world.node.mine(1);
      const [waiting, open] = await Promise.all([
        world.store.transfers.countDocuments({ state: "waiting" }),
        world.store.batches.countDocuments({ state: "open" }),
      ]);
      return waiting + open === 0;
    });

  /** Counts the outputs of mined transactions that pay a key. */
  const paid = async (key: string) => {
    const batches = await world.store.batches.find({ "payouts.key": key }).toArray();
    let count = 0;
    for (const { variants } of batches) {
      for (const { id, cancels } of variants) {
        const mined = await world.node
          .rpc<{ confirmations?: number }>("getrawtransaction", [id, true])
          .catch(() => undefined);
        if ((mined?.confirmations ?? 0) > 0 && !cancels) count += 1;
      }
    }
    return count;
  };

  keepsRailContract(() => ({
    rail: running.rail,
    transfer: transferTo(payee.segwit),
    settle,
    paid,
  }));

  it("pays exactly the ordered amounts to every kind of address, and reports its fees", async () => {
    const to = freshKeys();
    const sent = [to.segwit, to.legacy, to.taproot].map((address, at) => {
      return { key: freshKey(), address, amount: 50_000n + BigInt(at) };
    });
    await Promise.all(
      sent.map(({ key, address, amount }) => running.rail.submit(key, transferTo(address, amount))),
    );
    await settle();
    const replies = await Promise.all(sent.map(({ key }) => running.rail.query(key)));
    const scripts: string[] = [];
    for (const [at, reply] of replies.entries()) {
      if (reply.status.kind !== "settled") throw new Error(`is ${reply.status.kind}`);
      const [id, output] = reply.status.reference.split(":");
      const { vout } = await world.node.rpc<{
        vout: { value: number; scriptPubKey: { hex: string } }[];
      }>("getrawtransaction", [id, true]);
      const value = vout[Number(output)]?.value;
      expect(BigInt(Math.round((value ?? 0) * 1e8))).toBe(sent[at]?.amount);
      expect(reply.transferred).toEqual({ amount: `0.0005000${at}`, currency: "BTC" });
      scripts.push(vout[Number(output)]?.scriptPubKey.hex ?? "");
      expect(reply.charges?.[0]?.currency).toBe("BTC");
      expect(Number(reply.charges?.[0]?.amount)).toBeGreaterThan(0);
    }
    expect(new Set(scripts).size).toBe(3);
  });

  it.each([
    ["no address", () => "bc1qqqq"],
    ["an address of a test chain", () => "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"],
    ["the wallet itself", () => ownAddress],
    [
      "a taproot address that is no point of the curve",
      () => "bc1pzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygs64v5e4",
    ],
  ])("refuses %s as the recipient, and signs nothing", async (_what, to) => {
    const key = freshKey();
    const rejected = { kind: "rejected", failure: { code: "INVALID_ACCOUNT" } };
    const transfer = transferTo(to());
    expect(await running.rail.preflight?.(transfer)).toMatchObject({ kind: "refuse" });
    expect((await running.rail.submit(key, transfer)).status).toEqual(rejected);
    // A repeat cannot name a recipient of another kind.
    const repeated = await running.rail.submit(key, transferTo(payee.segwit));
    expect(repeated.status).toEqual(rejected);
    expect(await paid(key)).toBe(0);
  });

  it("refuses dust, by the kind of the address", async () => {
    const amounts: [string, bigint][] = [
      [payee.segwit, 294n],
      [payee.legacy, 546n],
      [payee.taproot, 330n],
    ];
    for (const [address, least] of amounts) {
      const refused = { kind: "refuse", failure: { code: "AMOUNT_NOT_ACCEPTED" } };
      expect(await running.rail.preflight?.(transferTo(address, least - 1n))).toEqual(refused);
      expect(await running.rail.preflight?.(transferTo(address, least))).toEqual({ kind: "ok" });
    }
  });

  it("gives an expected time if one is configured, and shows the wallet", async () => {
    const now = new Date("2026-11-20T11:26:00Z");
    const expected = running.rail.expectedAt?.(transferTo(payee.segwit), now);
    expect(expected).toEqual(new Date("2026-11-20T12:26:00Z"));
    const text = await metrics.text();
    expect(text).toMatch(/disburse_wallet_balance\{rail="regtest",currency="BTC",.*\} 2\.9/);
    expect(text).toMatch(/disburse_wallet_blocked\{rail="regtest",reason="transactions",.*\} 0/);
    const much = { ...transferTo(payee.segwit), amount: 10n ** 9n };
    expect(await running.rail.shortage?.(much)).toBe("LOW_FUNDS");
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const expectIt = async () => expect(await isSo()).toBe(true);
  await vi.waitFor(expectIt, { timeout: 60_000, interval: 100 });
}
