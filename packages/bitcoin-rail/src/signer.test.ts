import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { createWallet } from "@disburse/testkit/created-wallet.ts";
import { base64, bech32m, hex } from "@scure/base";
import { SigHash, Transaction } from "@scure/btc-signer";
import { Keystore } from "ox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SignerSettings } from "./settings.ts";
import { openSigner } from "./signer.ts";
import { freshKeys } from "./test-bitcoin.ts";
import { paysExactly, planTransaction, signedBy } from "./transaction.ts";
import { dustOf, readWalletKey, scriptOf, type WalletKey } from "./wallet-key.ts";

const own = freshKeys();
const other = freshKeys();
const payee = freshKeys();
const folder = mkdtempSync(join(tmpdir(), "bitcoin-signer-"));
const files = {
  kind: "keystore" as const,
  keystoreFile: join(folder, "wallet.json"),
  passwordFile: join(folder, "password"),
};
let remote: SignerSettings;
let server: Server;
let asked: { payouts: unknown; fee_max_sat: string; psbt: string } | undefined;
let tokens: (string | undefined)[] = [];
/** The remote signer's behaviour. It returns a PSBT. */
let answer: (psbt: Uint8Array) => Uint8Array | undefined = (psbt) => psbt;

const keyOf = (publicKey: Uint8Array): WalletKey => {
  const key = readWalletKey(`wpkh(${hex.encode(publicKey)})#8zl0zxma`, "main");
  if (key === undefined) throw new Error("no key");
  return key;
};
const key = keyOf(own.publicKey);
const coins = [1, 2].map((at) => ({ id: `${String(at).repeat(64)}:${at}`, amount: 100_000n }));
const script = scriptOf(payee.legacy) ?? new Uint8Array();
const payout = { key: "po_1", to: payee.legacy, amount: 150_000n };
const planned = () => {
  const payouts = [{ script, amount: payout.amount }];
  const plan = planTransaction(key, { payouts, required: [], candidates: coins, rate: 5n });
  if (plan === undefined) throw new Error("no plan");
  return plan;
};
const signWith =
  (secret: Uint8Array, types = [SigHash.ALL]) =>
  (psbt: Uint8Array) => {
    const transaction = Transaction.fromPSBT(psbt);
    transaction.sign(secret, types);
    return transaction.toPSBT();
  };

beforeAll(async () => {
  // The fewest rounds that scrypt allows: the test is not about its cost.
  const [derived, options] = Keystore.scrypt({ password: "correct horse", n: 2 });
  const keystore = Keystore.encrypt(`0x${hex.encode(own.secret)}`, derived, options);
  writeFileSync(files.keystoreFile, JSON.stringify(keystore));
  writeFileSync(files.passwordFile, "correct horse\n");
  writeFileSync(join(folder, "token"), "t0ken\n");
  server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked = JSON.parse(Buffer.concat(chunks).toString());
      const signed = answer(base64.decode(asked?.psbt ?? ""));
      response.statusCode = signed === undefined ? 403 : 200;
      response.end(signed && JSON.stringify({ psbt: base64.encode(signed) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  remote = { kind: "remote", url: `http://127.0.0.1:${port}`, tokenFile: join(folder, "token") };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => server.close(resolve));
});

describe("a plan", () => {
  it("spends enough coins, pays the payouts and gives the rest to the wallet", () => {
    const { unsigned, coins: spent, fee } = planned();
    expect(spent).toHaveLength(2);
    expect(paysExactly(unsigned, [{ script, amount: payout.amount }], key)).toBe(true);
    expect(paysExactly(unsigned, [], key)).toBe(false);
    expect(paysExactly(unsigned, [{ script, amount: 149_999n }], key)).toBe(false);
    expect(fee).toBeGreaterThan(0n);
    const payouts = [{ script, amount: 200_000n }];
    const none = planTransaction(key, { payouts, required: [], candidates: coins, rate: 1n });
    expect(none).toBeUndefined();
  });

  it("gives the wallet no amount that nodes do not relay", () => {
    const wanted = { payouts: [], candidates: [], rate: 1n };
    const least = planTransaction(key, { ...wanted, required: coins.slice(0, 1) });
    const enough = (least?.fee ?? 0n) + dustOf(key.script);
    const of = (amount: bigint) => [{ id: coins[0]?.id ?? "", amount }];
    expect(planTransaction(key, { ...wanted, required: of(enough) })).toBeDefined();
    expect(planTransaction(key, { ...wanted, required: of(enough - 1n) })).toBeUndefined();
  });

  it("splits the rest if asked, and only into useful amounts", () => {
    const rich = [{ id: coins[0]?.id ?? "", amount: 100_000_000n }];
    const wanted = { payouts: [{ script, amount: 5_000n }], required: [], rate: 2n, splits: true };
    const split = planTransaction(key, { ...wanted, candidates: rich });
    expect(split?.unsigned.outputsLength).toBe(3);
    expect(planTransaction(key, { ...wanted, candidates: coins })?.unsigned.outputsLength).toBe(2);
  });
});

describe("a keystore", () => {
  it("signs the payouts, in a transaction that keeps its id", async () => {
    const signer = await openSigner(files, key);
    const plan = planned();
    const psbt = await signer.sign({
      psbt: plan.unsigned.toPSBT(),
      payouts: [payout],
      feeMax: 9_999n,
    });
    const signed = signedBy(key, plan, psbt);
    expect(signed.id).toBe(plan.unsigned.id);
    expect(Transaction.fromRaw(signed.raw).id).toBe(signed.id);
    expect(signed.vsize).toBeLessThanOrEqual(plan.vsize);
  });

  it.each<[string, object]>([
    ["an output that is no payout", { payouts: [] }],
    ["another amount", { payouts: [{ ...payout, amount: 149_999n }] }],
    ["another address", { payouts: [{ ...payout, to: payee.segwit }] }],
    ["a payout that is missing", { payouts: [payout, payout] }],
    ["a fee above the maximum", { feeMax: 1n }],
  ])("refuses %s", async (_what, change) => {
    const signer = await openSigner(files, key);
    const request = { psbt: planned().unsigned.toPSBT(), payouts: [payout], feeMax: 9_999n };
    await expect(signer.sign({ ...request, ...change })).rejects.toThrow(/payouts|fee/);
  });

  it("does not open with another wallet's key or a wrong password", async () => {
    await expect(openSigner(files, keyOf(other.publicKey))).rejects.toThrow(SettingsError);
    const wrong = join(folder, "wrong");
    writeFileSync(wrong, "battery staple");
    const opening = openSigner({ ...files, passwordFile: wrong }, key);
    await expect(opening).rejects.toThrow("wrong password");
  });
});

describe("a remote signer", () => {
  const sign = async () => {
    const plan = planned();
    const signer = await openSigner(remote, key);
    const psbt = await signer.sign({
      psbt: plan.unsigned.toPSBT(),
      payouts: [payout],
      feeMax: 77n,
    });
    return signedBy(key, plan, psbt);
  };

  it("gets the payouts and the token, and its signatures are taken", async () => {
    answer = signWith(own.secret);
    tokens = [];
    expect((await sign()).raw.length).toBeGreaterThan(200);
    expect(tokens).toEqual(["Bearer t0ken"]);
    const [sent] = [{ payout_id: "po_1", address: payee.legacy, amount_sat: "150000" }];
    expect(asked).toMatchObject({ payouts: [sent], fee_max_sat: "77" });
  });

  it("may finalize its inputs", async () => {
    answer = (psbt) => {
      const transaction = Transaction.fromPSBT(signWith(own.secret)(psbt));
      transaction.finalize();
      return transaction.toPSBT();
    };
    await sign();
  });

  it.each<[string, (psbt: Uint8Array) => Uint8Array]>([
    ["no signature", (psbt) => psbt],
    [
      "another transaction's",
      () => {
        const payouts = [{ script: scriptOf(other.segwit) ?? script, amount: payout.amount }];
        const plan = planTransaction(key, { payouts, required: [], candidates: coins, rate: 5n });
        return signWith(own.secret)(plan?.unsigned.toPSBT() ?? new Uint8Array());
      },
    ],
  ])("that returns %s is refused", async (_what, behaviour) => {
    answer = behaviour;
    await expect(sign()).rejects.toThrow("did not sign");
  });

  it("that refuses makes the batch wait, without its text", async () => {
    answer = () => undefined;
    await expect(sign()).rejects.toThrow("HTTP status 403");
  });
});

it.each([
  ["segwit", 294n],
  ["legacy", 546n],
  ["taproot", 330n],
] as const)("dust of %s is below %s", (kind, least) => {
  expect(dustOf(scriptOf(payee[kind]) ?? script)).toBe(least);
});

it("a taproot address whose bytes are no point of the curve has no script", () => {
  expect(scriptOf(taprootOf(7))).toBeDefined();
  expect(scriptOf(taprootOf(5))).toBeUndefined();
});

function taprootOf(byte: number): string {
  return bech32m.encode("bc", [1, ...bech32m.toWords(new Uint8Array(32).fill(byte))]);
}

/** A keystore of full strength takes seconds on a busy machine. */
const strongTimeoutMs = 180_000;

it("opens the wallet that the page on going live creates, which a second run keeps", {
  timeout: strongTimeoutMs,
}, async () => {
  const { printed, run, ...files } = createWallet("Secp256k1");
  expect(statSync(files.keystoreFile).mode & 0o777).toBe(0o600);
  expect(statSync(files.passwordFile).mode & 0o777).toBe(0o600);
  expect(run).toThrow(/EEXIST/);
  await openSigner({ kind: "keystore", ...files }, keyOf(hex.decode(printed)));
});
