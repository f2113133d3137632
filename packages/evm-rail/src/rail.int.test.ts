import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { indexes } from "@disburse/chain-rail/indexes.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { freshKey, instruction, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import {
  type Anvil,
  anvilPath,
  startAnvil,
  wallet,
  walletKey,
} from "@disburse/testkit/evm/anvil.ts";
import { Keystore } from "ox";
import { type Address, getAddress, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openEvmChain } from "./chain.ts";
import { openKeystore } from "./keystore.ts";
import { evmMetrics } from "./metrics.ts";
import { tokenAbi } from "./node.ts";
import { openEvmRail } from "./open.ts";
import { readEvmChains } from "./settings.ts";
import type { RunningRail } from "./test-evm.ts";

const path = anvilPath();
const recipient = getAddress("0x00000000000000000000000000000000000000aa");
const transfer = {
  ...instruction,
  ...{ currency: "USDC_ETH", amount: 1_500_000n, transferMethod: "CRYPTO", network: "ETHEREUM" },
  accountNumber: recipient,
};

describe.skipIf(path === undefined)("a rail on an EVM chain", () => {
  const folder = mkdtempSync(join(tmpdir(), "disburse-evm-"));
  let anvil: Anvil;
  let database: Database;
  let token: Address;
  let running: RunningRail;
  const metrics = createMetrics("test");
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };

  beforeAll(async () => {
    database = await migratedDatabase("evm", [baseline(1, indexes)]);
    anvil = await startAnvil(path ?? "");
    token = await anvil.deployToken(6, 10n ** 12n);
    const chain = chainOf();
    const deps = { database, clock, log: silentLog, isPaused: async () => false };
    const opened = await openEvmRail(chain, { ...deps, metrics: evmMetrics(metrics, [chain]) });
    running = { ...opened, ...opened.start() };
    await until(() => running.rail.available());
  });
  afterAll(async () => {
    await running?.stop();
    await anvil?.stop();
    await database?.db.dropDatabase();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const chainOf = () => {
    const [keystoreFile, passwordFile] = [join(folder, "wallet.json"), join(folder, "password")];
    const [key, options] = Keystore.scrypt({ password: "secret", n: 2 });
    writeFileSync(keystoreFile, JSON.stringify(Keystore.encrypt(walletKey, key, options)));
    writeFileSync(passwordFile, "secret");
    const settings = {
      ...{ rail: "anvil", network: "ETHEREUM", chain_id: 31_337, rpc_urls: [anvil.url] },
      ...{ finality: 2, wallet: wallet.address, native: "ETH", poll_ms: 50 },
      settles_in_seconds: 90,
      signer: { keystore_file: keystoreFile, password_file: passwordFile },
      tokens: { USDC_ETH: { contract: token, decimals: 6 } },
      ...{ max_fee_gwei: "100", tip_gwei: "1" },
    };
    const [chain] = readEvmChains(JSON.stringify([settings]));
    if (chain === undefined) throw new Error("no chain");
    return chain;
  };
  const store = () => openTransferStore(database);
  const balanceOf = (address: Address) =>
    anvil.client.readContract({
      ...{ address: token, abi: tokenAbi, functionName: "balanceOf", args: [address] },
    });
  /** Mines blocks until every transfer has ended. */
  const settle = () =>
    until(async () => {
      await anvil.client.mine({ blocks: 1 });
      const open = { state: { $in: ["waiting" as const, "numbered" as const] } };
      return (await store().transfers.countDocuments(open)) === 0;
    });

  keepsRailContract(() => ({
    rail: running.rail,
    transfer,
    settle,
    paid: async (key) => {
      const found = await store().transfers.findOne({ _id: key });
      const ids = found?.attempts.map(({ id }) => id as `0x${string}`) ?? [];
      const receipts = await Promise.allSettled(
        ids.map((hash) => anvil.client.getTransactionReceipt({ hash })),
      );
      return receipts.filter(({ status }) => status === "fulfilled").length;
    },
  }));

  it("gives an expected time if one is configured", () => {
    const now = new Date("2026-11-20T11:26:00Z");
    const asked = { ...transfer, currency: "USDC_ETH", transferMethod: "CRYPTO" };
    const expected = new Date("2026-11-20T11:27:30Z");
    expect(running.rail.expectedAt?.(asked, now)).toEqual(expected);
  });

  it("moves exactly the ordered amount, in the token and in the chain's own coin", async () => {
    const to = getAddress("0x00000000000000000000000000000000000000bb");
    const [token1, coin1] = [freshKey(), freshKey()];
    await running.rail.submit(token1, { ...transfer, accountNumber: to });
    const coin = { ...transfer, currency: "ETH", amount: 10n ** 15n, accountNumber: to };
    await running.rail.submit(coin1, coin);
    await settle();
    expect(await balanceOf(to)).toBe(1_500_000n);
    expect(await anvil.client.getBalance({ address: to })).toBe(10n ** 15n);
    const reply = await running.rail.query(token1);
    expect(reply).toMatchObject({ transferred: { amount: "1.500000", currency: "USDC_ETH" } });
    expect(await running.rail.query(coin1)).toMatchObject({
      ...{ status: { kind: "settled" }, transferred: { currency: "ETH" } },
    });
  });

  it.each<[string, () => string]>([
    ["the zero address", () => "0x0000000000000000000000000000000000000000"],
    ["no address", () => "0x12"],
    ["a precompile", () => "0x0000000000000000000000000000000000000001"],
    ["a token of the table of networks", () => "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
    ["a token of the chain's settings", () => token.toLowerCase()],
  ])("refuses %s as the recipient, and signs nothing", async (_what, to) => {
    const key = freshKey();
    const rejected = { kind: "rejected", failure: { code: "INVALID_ACCOUNT" } };
    const refusal = await running.rail.submit(key, { ...transfer, accountNumber: to() });
    expect(refusal.status).toEqual(rejected);
    expect((await running.rail.query(key)).status).toEqual(rejected);
    // A repeat cannot name a recipient of another kind.
    expect((await running.rail.submit(key, transfer)).status).toEqual(rejected);
    expect((await store().transfers.findOne({ _id: key }))?.attempts).toEqual([]);
  });

  it("signs no transfer to a wallet without an owner, though it was accepted", async () => {
    const settings = chainOf();
    if (settings.signer.kind !== "keystore") throw new Error("no keystore");
    const signer = await openKeystore(settings.signer, settings.wallet);
    const chain = openEvmChain(settings, signer, { log: silentLog, onNodeFailed: () => undefined });
    const fees = { max: 10n ** 10n, tip: 1n };
    const order = { currency: "USDC_ETH", amount: 1n, to: token };
    expect(chain.pays(order)).toBe(false);
    await expect(chain.sign(0, order, fees)).rejects.toThrow("can have no owner");
    expect((await chain.sign(0, { ...order, to: recipient }, fees)).id).toMatch(/^0x/);
  });

  it("settles when its block is final, and not before", async () => {
    const to = getAddress("0x00000000000000000000000000000000000000dd");
    const key = freshKey();
    await running.rail.submit(key, { ...transfer, accountNumber: to });
    await until(async () => {
      const [attempt] = (await store().transfers.findOne({ _id: key }))?.attempts ?? [];
      const hash = attempt?.id as Hex;
      return (await anvil.client.getTransaction({ hash })).blockNumber === null;
    });
    await anvil.client.mine({ blocks: 1 });
    expect(await balanceOf(to)).toBe(1_500_000n);
    // Two runs of the dispatcher.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await running.rail.query(key)).status.kind).toBe("accepted");
    await anvil.client.mine({ blocks: 1 });
    await until(async () => (await running.rail.query(key)).status.kind === "settled");
  });

  it("shows what the wallet has, and whether it can pay", async () => {
    const text = await metrics.text();
    const value = (series: string) =>
      text
        .split("\n")
        .find((line) => line.startsWith(series))
        ?.split(" ")
        .at(-1);
    const funds = Number(value('disburse_wallet_balance{rail="anvil",currency="USDC_ETH"'));
    expect(funds).toBeGreaterThan(999_000);
    expect(Number(value('disburse_wallet_balance{rail="anvil",currency="coin"'))).toBeGreaterThan(
      1,
    );
    expect(value('disburse_wallet_blocked{rail="anvil",reason="nonce"')).toBe("0");
    expect(value('disburse_chain_node_failures_total{rail="anvil",node="0"')).toBe("0");
  });

  it("pays once after a reorganisation removed the block", async () => {
    const to = getAddress("0x00000000000000000000000000000000000000cc");
    const key = freshKey();
    await running.rail.submit(key, { ...transfer, accountNumber: to });
    await until(async () => (await store().transfers.findOne({ _id: key }))?.state === "numbered");
    await until(async () => {
      await anvil.client.mine({ blocks: 1 });
      return (await balanceOf(to)) > 0n;
    });
    await anvil.reorganise(1);
    expect(await balanceOf(to)).toBe(0n);
    // The transaction is due to be resent.
    offsetMs += 5_000;
    await settle();
    expect(await balanceOf(to)).toBe(1_500_000n);
  });

  it.each([
    ["a token that is paused", 3, { kind: "rejected" }],
    ["a token that returns false", 1, { kind: "unknown" }],
    ["a token that takes a fee", 2, { kind: "settled" }],
  ])("with %s", async (_what, mode, status) => {
    const hash = await anvil.setMode(token, mode);
    await until(async () => {
      await anvil.client.mine({ blocks: 1 });
      return (await anvil.client.getTransactionReceipt({ hash })).status === "success";
    });
    const key = freshKey();
    await running.rail.submit(key, transfer);
    await settle();
    const reply = await running.rail.query(key);
    expect(reply.status).toMatchObject(status);
    if (status.kind === "settled") expect(reply.transferred?.amount).toBe("1.485000");
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const expectIt = async () => expect(await isSo()).toBe(true);
  await vi.waitFor(expectIt, { timeout: 30_000, interval: 100 });
}
