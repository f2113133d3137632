import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type BitcoinNode,
  startBitcoin,
  whyNoBitcoin,
} from "@disburse/rails/counterparts/bitcoin.ts";
import { type Solana, startSolana } from "@disburse/rails/counterparts/solana.ts";
import { paidSolanaWallet } from "@disburse/rails/demo/recipients.ts";
import { sandboxList, sandboxListLines } from "@disburse/sandbox/sandbox-list.ts";
import { type LivePlatform, startLivePlatform } from "@disburse/testkit/live-platform.ts";
import { type GatewayAnswer, type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { approvers } from "./second-person.ts";

/**
 * Tests live mode as an operator begins it (docs/operators/going-live.md): settings, rails,
 * corridors, first payouts. Two Bitcoin nodes in regtest and Solana's runtime stand in for chains.
 */

const page = readFileSync(join(import.meta.dirname, "../docs/operators/going-live.md"), "utf8");
const [, bitcoinAndSolana = ""] = /\n## Bitcoin\n(.*)\n## A bank\n/s.exec(page) ?? [];

const noBitcoin = await whyNoBitcoin();
const skipped = noBitcoin === undefined ? "" : ` (skipped: ${noBitcoin})`;

type Destination = {
  readonly currency: "BTC" | "USDC_SOL" | "SOL";
  readonly network: "BTC" | "SOLANA";
  readonly rail: string;
  /** The booked balance of the rail account. */
  readonly funds: string;
  readonly rate: string;
  /** The corridor's minimum, and an amount below it. */
  readonly limit?: readonly [receivingMin: string, tooLittle: string];
  /** 100.00 USD less a fee of 0.10, in the currency's smallest unit. */
  readonly paid: bigint;
};

const onBitcoin: Destination = {
  ...{ currency: "BTC", network: "BTC", rail: "bitcoin", funds: "20.00", rate: "0.00001" },
  paid: 99_900n,
};
const onSolana: readonly Destination[] = [
  {
    ...{ currency: "USDC_SOL", network: "SOLANA", rail: "svm", funds: "1000.00", rate: "0.999" },
    paid: 99_800_100n,
  },
  {
    ...{ currency: "SOL", network: "SOLANA", rail: "svm", funds: "100.00", rate: "0.005" },
    limit: ["0.001", "0.0009"],
    paid: 499_500_000n,
  },
];

const mutation = () => ({ mutation: { operationId: crypto.randomUUID() } });
const idempotent = () => ({ "idempotency-key": crypto.randomUUID() });

/** Returns arguments of a node for a user who may call only what the page lists. */
function restrictedUser(password: string): string[] {
  const [, list = ""] = /Allow ((?:`[a-z]+`(?:, | and )?)+) \(`rpcwhitelist`\)/.exec(page) ?? [];
  const methods = [...list.matchAll(/`([a-z]+)`/g)].map(([, method]) => method);
  expect(methods.length).toBeGreaterThan(5);
  const hash = createHmac("sha256", "salt").update(password).digest("hex");
  const allowed = `-rpcwhitelist=payout:${methods.join(",")}`;
  return [`-rpcauth=payout:salt$${hash}`, allowed, "-rpcwhitelistdefault=0"];
}

describe("live mode", () => {
  const folder = mkdtempSync(join(tmpdir(), "disburse-live-rails-"));
  const ends = new AsyncDisposableStack();
  const merchantId = newId("merchant");
  let bitcoin: BitcoinNode | undefined;
  let solana: Solana;
  let platform: LivePlatform;
  let payouts: ReturnType<typeof approvers>;
  let quotes: ReturnType<typeof approvers>;
  let merchant: Merchant;
  let accountId: string;

  beforeAll(async () => {
    ends.defer(() => rmSync(folder, { recursive: true, force: true }));
    solana = await startSolana(folder);
    ends.defer(solana.stop);
    solana.makeBlocks(200);
    const settings = noBitcoin === undefined ? await startTwoNodes() : {};
    const routes = [{ network: "SOLANA", rail: "svm" }];
    if (bitcoin !== undefined) routes.push({ network: "BTC", rail: "bitcoin" });
    platform = await startLivePlatform({
      ...settings,
      SOLANA_CHAINS: JSON.stringify([solana.settings]),
      RAIL_ROUTES: JSON.stringify(routes),
    });
    ends.defer(platform.stop);
    [payouts, quotes] = [approvers(platform, "payout"), approvers(platform, "quote")];
    ends.defer(() => [payouts, quotes].forEach(({ close }) => void close()));
    await importList();
    ({ merchant, accountId } = await registerMerchant());
  });
  afterAll(() => ends.disposeAsync());

  /** Starts the Bitcoin nodes. Returns the rail's setting. */
  async function startTwoNodes() {
    const args = restrictedUser("secret");
    const credentials_file = join(folder, "node-user");
    writeFileSync(credentials_file, "payout:secret\n", { mode: 0o600 });
    bitcoin = await startBitcoin(folder, args);
    ends.defer(bitcoin.stop);
    const second = await bitcoin.addNode();
    ends.defer(second.stop);
    bitcoin.makeBlocks(500);
    const urls = [...bitcoin.settings.nodes.map(({ url }) => url), second.url];
    const nodes = urls.map((url) => ({ url, credentials_file }));
    return { BITCOIN_RAILS: JSON.stringify([{ ...bitcoin.settings, nodes }]) };
  }

  async function importList(): Promise<void> {
    const { list, version } = sandboxList;
    const lines = new TextEncoder().encode(sandboxListLines());
    async function* parts() {
      yield { part: { case: "header" as const, value: { ...mutation(), list, version } } };
      yield { part: { case: "lines" as const, value: lines } };
      yield { part: { case: "end" as const, value: true } };
    }
    await platform.as("carol").compliance.importList(parts());
  }

  /** Registers a merchant with a key that pays, and an account with 5,000 US dollars. */
  async function registerMerchant() {
    const { beneficiary } = platform.as("fay");
    await beneficiary.createMerchant({ ...mutation(), merchantId, name: "Initech Ltd" });
    const permissions = { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: true };
    await beneficiary.setMerchantPermissions({ ...mutation(), permissions });
    const scopes = ["beneficiary:write", "quote:write", "payout:read", "payout:write"];
    const key = { ...mutation(), merchantId, scopes, description: "first key" };
    const issuer = platform.as("dora").keys;
    const keys = approvers(platform, "gateway");
    await keys.approve("fay", issuer.createKey(key));
    keys.close();
    const { secret } = await issuer.createKey(key);
    const { payout } = platform.as("ada");
    const opening = { ...mutation(), merchantId, currencyCode: "USD" };
    const id = (await payout.openAccount(opening)).account?.id ?? "";
    const credit = { ...mutation(), merchantId, accountId: id, amount: "5000.00", note: "wire" };
    await payouts.approve("bob", payout.creditAccount(credit));
    return { merchant: merchantOf(platform.baseUrl, secret), accountId: id };
  }

  const corridorTo = (destination: string, receivingMin = "") => ({
    ...mutation(),
    corridor: {
      ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: destination, active: true },
      ...{ feeShare: "0.001", feeFlat: "0", limits: { receivingMin } },
      ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, returnCharges: ReturnCharges.PLATFORM },
    },
  });

  /** The amount in the smallest unit that a reference's transaction paid on the chain. */
  async function paidOnChain({ currency }: Destination, reference: string): Promise<bigint> {
    if (currency === "BTC") {
      const [txid, output] = reference.split(":");
      const found = (await bitcoin?.payments())?.filter((each) => each.txid === txid);
      return found?.find((each) => each.output === Number(output))?.satoshi ?? 0n;
    }
    expect(solana.find(reference)?.error).toBeNull();
    if (currency === "USDC_SOL") return solana.balanceOf(paidSolanaWallet);
    return solana.chain.at(solana.chain.tip().height).getBalance(paidSolanaWallet) ?? 0n;
  }

  it("has rails that are available", async () => {
    const expected = [
      ...(bitcoin === undefined ? [] : [{ name: "bitcoin", available: true, networks: ["BTC"] }]),
      { name: "svm", available: true, networks: ["SOLANA"] },
    ];
    await vi.waitFor(
      async () => {
        const { rails } = await platform.as("ada").operations.listRails({});
        expect(rails).toMatchObject(expected);
      },
      { timeout: 15_000, interval: 200 },
    );
  });

  it("refuses a corridor to a currency without a rail, before anyone is asked to approve", async () => {
    const call = platform.as("ada").quote.setCorridor(corridorTo("USDC_ETH"));
    expect(await call.then(() => undefined, readRefusal)).toMatchObject({
      code: "INVALID_REQUEST",
      message: "destination_currency_code: no configured rail supports USDC_ETH",
    });
    const open = await quotes.as("bob").listProposals({ state: ProposalState.OPEN });
    expect(open.proposals).toEqual([]);
  });

  /** Opens a corridor by two operators, and pays a merchant's payout through it. */
  async function openAndPay(destination: Destination): Promise<void> {
    const { currency, network, rail, funds, rate, limit } = destination;
    const { quote, operations } = platform.as("ada");
    const payee = {
      ...cryptoBody(network, currency),
      ...(network === "SOLANA" && { beneficiary_account_number: paidSolanaWallet }),
    };
    const { beneficiary_id } = await merchant.data("POST", paths.crypto, payee);
    const request = {
      ...{ source_currency_code: "USD", destination_currency_code: currency },
      ...{ beneficiary_id, account_id: accountId },
    };
    const ask = (amount: object = { source_amount: "100.00" }) =>
      merchant.post(paths.rfq, { ...request, ...amount }, idempotent());
    const closed = { status: 404, json: { code: "RECORD_NOT_FOUND" } };
    expect(await ask()).toMatchObject(closed);
    const set = corridorTo(currency, limit?.[0]);
    const proposed = quote.setCorridor(set);
    await expect(proposed).rejects.toThrow(/another person must approve/);
    expect(await ask()).toMatchObject(closed);
    await quotes.approve("bob", proposed);
    const corridorId = (await quote.setCorridor(set)).corridor?.id ?? "";
    await quote.setRate({ ...mutation(), corridorId, rate: { rate, source: "treasury" } });
    expect(await ask()).toMatchObject(closed);
    const opening = quote.setMerchantCorridor({
      ...{ ...mutation(), merchantId, corridorId, open: true },
    });
    await quotes.approve("bob", opening);
    const booking = { ...mutation(), rail, currencyCode: currency, amount: funds, note: "opening" };
    await payouts.approve("bob", operations.fundRailAccount(booking));
    const execute = ({ json }: GatewayAnswer) =>
      merchant.post(paths.execute, { quote_id: json.data.id }, idempotent());
    if (limit !== undefined) {
      const tooLittle = await execute(await ask({ receiving_amount: limit[1] }));
      expect(tooLittle).toMatchObject({ json: { code: "AMOUNT_NOT_WITHIN_LIMITS" } });
    }
    const executed = await execute(await ask());
    const payout = await vi.waitFor(
      async () => {
        const found = await merchant.data("GET", `${paths.payouts}/${executed.json.data.id}`);
        expect(found).toMatchObject({ status: "succeeded", sub_status: "settled" });
        return found;
      },
      { timeout: 45_000, interval: 200 },
    );
    const { unique_transaction_reference: reference } = payout;
    expect(await paidOnChain(destination, reference)).toBe(destination.paid);
  }

  it.skipIf(noBitcoin !== undefined)(`pays BTC${skipped}`, () => openAndPay(onBitcoin));
  it.each(onSolana)("pays $currency on Solana", openAndPay);

  it("shows every metric that operators check before the first payment", async () => {
    const named = [...bitcoinAndSolana.matchAll(/`(disburse_\w+)\{/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(4);
    const text = await (await fetch(`${platform.adminUrl("payout")}/metrics`)).text();
    for (const name of named) expect(text).toMatch(new RegExp(`^# TYPE ${name} `, "m"));
    expect(text).toMatch(/^disburse_wallet_balance\{[^}]*rail="svm"[^}]*\} \d/m);
  });
});
