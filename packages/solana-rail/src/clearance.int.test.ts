import { testAddress } from "@disburse/testkit/solana/svm-chain.ts";
import {
  frozenByDefault,
  pausable,
  token2022,
  tokenAccount,
  transferFee,
} from "@disburse/testkit/solana/tokens.ts";
import { type Address, lamports } from "@solana/kit";
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SolanaRail } from "./open.ts";
import { openTestSolana, type TestSolana } from "./test-solana.ts";

let solana: TestSolana;
let opened: SolanaRail;
let mint: Address;
let nextRecipient = 10_000;
const recipient = () => testAddress(nextRecipient++);

beforeAll(async () => {
  solana = await openTestSolana("solana-clearance");
  mint = await solana.issuer.createToken(solana.wallet, { program: token2022 }, [pausable]);
  const tokens = { USDC_SOL: { mint: solana.usdc }, PYUSD_SOL: { mint } };
  opened = await solana.open({ tokens });
  await opened.run();
});
afterAll(() => solana?.stop());
afterEach(() => {
  for (const front of solana.fronts) front.set({});
});

const check = (change: object) => opened.rail.preflight?.(solana.transferOf("po_1", change));
const refusal = (code: string, railCode?: string) => ({
  kind: "refuse",
  failure: { code, ...(railCode !== undefined && { railCode }) },
});

describe("a Solana transfer before it is sent", () => {
  it("is refused if the issuer has frozen the recipient's account", async () => {
    const to = recipient();
    expect(await check({ accountNumber: to })).toEqual({ kind: "ok" });
    await solana.issuer.freeze(solana.usdc, to);
    expect(await check({ accountNumber: to })).toEqual(refusal("ACCOUNT_BLOCKED", "FROZEN"));
  });

  it("is refused just before it is signed, after it was accepted", async () => {
    const [key = ""] = await solana.pay(opened, 1);
    await solana.issuer.freeze(solana.usdc, solana.recipientOf(key));
    await opened.run();
    expect((await opened.rail.query(key)).status).toEqual({
      kind: "rejected",
      failure: { code: "ACCOUNT_BLOCKED", railCode: "FROZEN" },
    });
    expect((await solana.store.findOne({ _id: key }))?.attempts).toEqual([]);
    expect(solana.events).toEqual(["refused"]);
  });

  it("waits while the mint is paused, also just before it is signed", async () => {
    const change = { currency: "PYUSD_SOL" };
    const [key = ""] = await solana.pay(opened, 1, change);
    await solana.issuer.setPaused(mint, true);
    expect(await check(change)).toEqual({
      kind: "wait",
      reason: "the issuer has paused the token",
    });
    await opened.run();
    expect(await solana.stateOf(key)).toBe("waiting");
    await solana.issuer.setPaused(mint, false);
    await solana.runUntil(opened, [key], "settled");
    expect(await solana.balanceOf(solana.recipientOf(key), mint, token2022)).toBe(
      solana.amountOf(key),
    );
  });

  it.each<[string, () => Promise<string> | string]>([
    ["a token account", () => tokenAccount(solana.usdc, solana.wallet, TOKEN_PROGRAM_ADDRESS)],
    ["a mint that the settings don't name", () => solana.pyusd],
    ["a program", () => "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"],
    ["a mint of the settings", () => solana.usdc],
    ["the rail's own wallet", () => solana.wallet],
    ["no address", () => "0x12"],
  ])("is refused to %s", async (_what, address) => {
    for (const currency of ["USDC_SOL", "SOL"]) {
      const refused = await check({ currency, accountNumber: await address() });
      expect(refused).toMatchObject(refusal("INVALID_ACCOUNT"));
    }
  });

  it("is refused if the recipient's token account belongs to somebody else", async () => {
    const to = recipient();
    await solana.issuer.freeze(solana.usdc, to);
    const ata = await tokenAccount(solana.usdc, to, TOKEN_PROGRAM_ADDRESS);
    solana.chain.change((runtime) => {
      const account = runtime.getAccount(ata);
      if (!account.exists) throw new Error("no account");
      const data = new Uint8Array(account.data);
      // The owner stands after the mint.
      data.fill(9, 32, 64);
      runtime.setAccount({ ...account, data });
    });
    expect(await check({ accountNumber: to })).toEqual(refusal("INVALID_ACCOUNT", "NOT_THE_OWNER"));
  });

  it("in SOL must leave the account rent-exempt", async () => {
    const rent = solana.chain.at(solana.chain.tip().height).minimumBalanceForRentExemption(0n);
    const [empty, known] = [recipient(), recipient()];
    const sol = { currency: "SOL", accountNumber: empty };
    const below = refusal("AMOUNT_NOT_ACCEPTED", "BELOW_RENT_EXEMPTION");
    expect(await check({ ...sol, amount: rent - 1n })).toEqual(below);
    expect(await check({ ...sol, amount: rent })).toEqual({ kind: "ok" });
    solana.chain.airdrop(known, lamports(rent));
    expect(await check({ ...sol, accountNumber: known, amount: 1n })).toEqual({ kind: "ok" });
    // The runtime's own rule is the same.
    const key = "po_900001";
    await opened.rail.submit(key, solana.transferOf(key, { ...sol, amount: rent }));
    await solana.runUntil(opened, [key], "settled");
  });

  it("waits unless both nodes respond, and say the same", async () => {
    const to = recipient();
    await solana.issuer.freeze(solana.usdc, to);
    solana.set(1, { behind: 30 });
    expect(await check({ accountNumber: to })).toMatchObject({ kind: "wait" });
    solana.set(1, { isAway: true });
    expect(await check({ accountNumber: to })).toMatchObject({ kind: "wait" });
    expect(await check({ accountNumber: recipient() })).toMatchObject({ kind: "wait" });
  });
});

describe("a token on Solana", () => {
  it.each([
    [
      "takes a fee of its transfers",
      [() => transferFee(10)],
      refusal("UNSPECIFIED", "TRANSFER_FEE"),
    ],
    ["takes no fee", [() => transferFee(0)], { kind: "ok" }],
    ["freezes new accounts", [() => frozenByDefault], refusal("ACCOUNT_BLOCKED", "FROZEN")],
  ])("that %s", async (_what, extensions, expected) => {
    const owner = solana.wallet;
    const options = { program: token2022, supply: 0n };
    const token = await solana.issuer.createToken(owner, options, extensions);
    const rail = await solana.open({ rail: "other", tokens: { USDP_SOL: { mint: token } } });
    await rail.run();
    const transfer = solana.transferOf("po_1", { currency: "USDP_SOL" });
    expect(await rail.rail.preflight?.({ ...transfer, accountNumber: recipient() })).toEqual(
      expected,
    );
  });

  it("must be a mint, as the nodes report it", async () => {
    const tokens = { USDC_SOL: { mint: solana.wallet } };
    const rail = await solana.open({ rail: "wrong", tokens });
    await expect(rail.run()).rejects.toThrow("USDC_SOL: mint: is not a token's mint");
  });

  it("is not paid while the issuer has frozen our wallet", async () => {
    const [key = ""] = await solana.pay(opened, 1);
    await solana.issuer.freeze(solana.usdc, solana.wallet);
    expect(await check({ accountNumber: recipient() })).toEqual({
      kind: "wait",
      reason: "the issuer has frozen the rail's wallet",
    });
    await opened.run();
    expect(await solana.stateOf(key)).toBe("waiting");
    expect(solana.frozen()).toEqual(["USDC_SOL"]);
  });
});

it("opens no wallet on another chain than the settings name", async () => {
  const rail = await solana.open({ rail: "elsewhere", genesis_hash: solana.usdc });
  await expect(rail.run()).rejects.toThrow("genesis_hash: a node belongs to another chain");
});
