import { listedParties, riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths, wallets } from "./bodies.ts";
import { type Code, expectNoEffect, expectRefusal, world } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
let frozen: Payer;
let bare: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" });
  acme = payerOf(platform, "acme");
  frozen = payerOf(platform, "frozen");
  bare = payerOf(platform, "bare");
});
afterAll(() => platform?.stop());

const owner = { beneficiary_name: "Ada Lovelace" };
const [listed] = listedParties;
const blockedBody = {
  ...cryptoBody(),
  beneficiary_name: listed?.name,
  beneficiary_country_code: listed?.country,
  beneficiary_date_of_birth: listed?.date_of_birth,
};
const eth = wallets.ETHEREUM;

/**
 * Expects a refused request to store nothing. The idempotency key then works for a valid body.
 * Otherwise the stored response would be returned.
 */
async function expectNothingStored(path: string, body: object, sound: object, code: Code) {
  const headers = { "idempotency-key": crypto.randomUUID() };
  expectRefusal(await acme.post(path, body, headers), code);
  const created = await acme.post(path, sound, headers);
  expect(created.status, created.text).toBe(200);
  return created.json.data;
}

describe("INVALID_WALLET_ADDRESS", () => {
  it.each([
    ["ETHEREUM", "EIP-55 does not fit", eth.replace("5a", "5A")],
    ["ETHEREUM", "too short", eth.slice(0, -1)],
    ["ETHEREUM", "without 0x", eth.slice(2)],
    ["ETHEREUM", "of TRON", wallets.TRX],
    ["POL", "of Bitcoin", wallets.BTC],
    ["BNB", "EIP-55 does not fit", eth.replace("5a", "5A")],
    ["BTC", "of the test network", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"],
    ["BTC", "of the test network, base58", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"],
    ["BTC", "its checksum is wrong", wallets.BTC.replace(/q$/, "p")],
    ["TRX", "its checksum is wrong", `${wallets.TRX.slice(0, -1)}u`],
    ["TRX", "of Ethereum", eth],
    ["SOLANA", "not 32 bytes", wallets.SOLANA.slice(0, -4)],
    ["SOLANA", "no base58", `0${wallets.SOLANA.slice(1)}`],
  ] as const)("on %s: %s", async (network, _what, beneficiary_account_number) => {
    const currency = { BTC: "BTC", TRX: "USDT_TRON", SOLANA: "SOL", POL: "MATIC_POLYGON" };
    const of = network === "ETHEREUM" || network === "BNB" ? "ETH" : currency[network];
    const sound = { ...cryptoBody(network, of), ...owner };
    const spoilt = { ...cryptoBody(network, of), beneficiary_account_number };
    const { beneficiary_id } = await expectNothingStored(
      ...([paths.crypto, spoilt, sound, "INVALID_WALLET_ADDRESS"] as const),
    );
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiary_id}`);
    expect(read).toMatchObject(owner);
  });

  it.each(["individual", "corporate", "self_business"] as const)(
    "of a depositor: %s",
    async (form) => {
      for (const wrong of ["nothing", eth.replace("5a", "5A"), wallets.BTC.toUpperCase() + 1]) {
        const body = { ...depositorBody(form), depositor_wallet_address: wrong };
        expectRefusal(await acme.post(paths.depositor, body), "INVALID_WALLET_ADDRESS");
      }
    },
  );
});

describe("RISK_ANALYSIS_FAILED", () => {
  const { ETHEREUM, BTC, TRX } = riskyWallets;
  const cases = [
    ["ETHEREUM", "USDC_ETH", ETHEREUM],
    ["ETHEREUM", "ETH", ETHEREUM.toLowerCase()],
    ["ETHEREUM", "ETH", `0x${ETHEREUM.slice(2).toUpperCase()}`],
    ["POL", "MATIC_POLYGON", ETHEREUM],
    ["BNB", "USDT_ETH", ETHEREUM.toLowerCase()],
    ["BTC", "BTC", BTC],
    ["TRX", "USDT_TRON", TRX],
  ] as const;
  it.each(cases)("on %s in %s: %s", async (network, currency, wallet) => {
    const sound = { ...cryptoBody(network, currency), ...owner };
    const risky = { ...sound, beneficiary_name: "Jane Doe", beneficiary_account_number: wallet };
    const { beneficiary_id } = await expectNothingStored(
      ...([paths.crypto, risky, sound, "RISK_ANALYSIS_FAILED"] as const),
    );
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiary_id}`);
    expect(read).toMatchObject(owner);
    for (const form of ["individual", "corporate", "self_business"] as const) {
      const body = { ...depositorBody(form), depositor_wallet_address: wallet };
      expectRefusal(await acme.post(paths.depositor, body), "RISK_ANALYSIS_FAILED");
    }
  });
});

describe("creating", () => {
  const bodies = [
    [paths.crypto, cryptoBody()],
    [paths.fiat, bankBody()],
    [paths.depositor, depositorBody("individual")],
  ] as const;
  it.each(bodies)("by %s is up to the merchant's settings", async (path, body) => {
    for (const sent of [body, {}, { beneficiary_account_number: [] }]) {
      await expectNoEffect(bare, path, sent, "RECORD_NOT_FOUND");
      await expectNoEffect(frozen, path, sent, "BENEFICIARY_CREATION_NOT_ALLOWED");
    }
  });

  it("looks at settings, permission, fields, wallet form, wallet risk, in this order", async () => {
    const risky = { ...cryptoBody(), beneficiary_account_number: riskyWallets.ETHEREUM };
    const malformed = { ...risky, beneficiary_account_number: eth.replace("5a", "5A") };
    const incomplete = { ...malformed, beneficiary_city: "" };
    const post = (payer: Payer, body: object) => payer.post(paths.crypto, body);
    expectRefusal(await post(bare, incomplete), "RECORD_NOT_FOUND");
    expectRefusal(await post(frozen, incomplete), "BENEFICIARY_CREATION_NOT_ALLOWED");
    expectRefusal(await post(acme, incomplete), "INVALID_REQUEST");
    expectRefusal(await post(acme, malformed), "INVALID_WALLET_ADDRESS");
    expectRefusal(await post(acme, risky), "RISK_ANALYSIS_FAILED");
  });
});

it("INVALID_JSON is said of a body that is none", async () => {
  for (const path of [paths.crypto, paths.fiat, paths.depositor, paths.rfq, paths.execute]) {
    for (const body of ["", "{", "nothing", '{"a":1}}', '{"a":NaN}']) {
      await expectNoEffect(acme, path, body, "INVALID_JSON");
    }
  }
});

describe("at RFQ", () => {
  it("the first fault in the order of checks is the one that is told", async () => {
    const { beneficiary_id: blocked } = await acme.data("POST", paths.crypto, blockedBody);
    const [inr, usd, foreign] = [
      platform.accountId("acme", "INR"),
      platform.accountId("acme", "USD"),
      platform.accountId("globex", "USD"),
    ];
    const all = {
      source_amount: "0.001",
      account_id: "acc_unknown",
      beneficiary_id: "ben_unknown",
      source_currency_code: "GBP",
      destination_currency_code: "GBP",
    };
    const toBtc = { beneficiary_id: await acme.recipient("BTC"), destination_currency_code: "BTC" };
    const toMatic = {
      beneficiary_id: await acme.recipient("MATIC_POLYGON"),
      destination_currency_code: "MATIC_POLYGON",
    };
    const toUsd = { beneficiary_id: await acme.recipient("USD"), destination_currency_code: "USD" };
    const fromUsd = { account_id: usd, source_currency_code: "USD" };
    const fromInr = { account_id: inr, source_currency_code: "INR" };
    const steps: [string, unknown, Code][] = [
      ["JSON", JSON.stringify({ ...all, account_id: "" }).slice(0, -1), "INVALID_JSON"],
      ["fields", { ...all, destination_currency_code: "" }, "INVALID_REQUEST"],
      ["an unknown account", all, "RECORD_NOT_FOUND"],
      ["a foreign account", { ...all, account_id: foreign }, "ACCESS_FORBIDDEN"],
      ["an unknown beneficiary", { ...all, account_id: usd }, "RECORD_NOT_FOUND"],
      [
        "a beneficiary that is not cleared",
        { ...all, account_id: usd, beneficiary_id: blocked },
        "ACCESS_FORBIDDEN",
      ],
      ["the account's currency", { ...all, ...toBtc, account_id: inr }, "INVALID_REQUEST"],
      [
        "the beneficiary's currency",
        { ...all, ...fromUsd, ...toBtc, destination_currency_code: "ETH" },
        "INVALID_REQUEST",
      ],
      ["no corridor", { ...all, ...fromInr, ...toUsd }, "RECORD_NOT_FOUND"],
      ["a corridor that is not active", { ...all, ...fromInr, ...toBtc }, "CORRIDOR_NOT_ACTIVE"],
      ["no merchant corridor", { ...all, ...fromUsd, ...toMatic }, "RECORD_NOT_FOUND"],
      ["the amount", { ...all, ...fromUsd, ...toUsd }, "INVALID_REQUEST"],
    ];
    for (const [what, body, code] of steps) {
      const before = await world(acme);
      const answer = await acme.post(paths.rfq, body);
      expect([what, answer.json.code]).toEqual([what, code]);
      expectRefusal(answer, code);
      if (code === "RECORD_NOT_FOUND")
        expect([what, answer.json.violations?.length]).toEqual([what, 1]);
      expect(await world(acme)).toEqual(before);
    }
  });

  it("a merchant without configuration is not found", async () => {
    const body = { source_amount: "10", ...(await acme.transfer("USD", "USD")) };
    for (const account_id of ["acc_unknown", "acc_00000000000000000000000000"]) {
      await expectNoEffect(bare, paths.rfq, { ...body, account_id }, "RECORD_NOT_FOUND");
    }
    await expectNoEffect(bare, paths.rfq, body, "ACCESS_FORBIDDEN");
  });

  it("an empty source amount is refused whatever the receiving amount is", async () => {
    const amounts = { source_amount: "", receiving_amount: "10" };
    const answer = await acme.post(paths.rfq, {
      ...amounts,
      ...(await acme.transfer("USD", "USD")),
    });
    const message = "must be a decimal number";
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        ...{ code: "INVALID_REQUEST", message: `source_amount: ${message}` },
        violations: [{ field: "source_amount", rule: "format", message }],
      },
    ]);
  });

  it.each([
    ["source_amount", "0.50", "USD", "USD", "source_amount: must cover the fees"],
    ["source_amount", "0.001", "USD", "USD", "source_amount: must have at most 2 decimals"],
    ["source_amount", "10.0000001", "USDC_ETH", "USD", /^source_amount: must have at most 6/],
    ["source_amount", "0.123456789", "BTC", "BTC", /^source_amount: must have at most 8/],
    ["receiving_amount", "1.005", "USD", "INR", /^receiving_amount: must have at most 2/],
    [
      "receiving_amount",
      `0.${"1".repeat(19)}`,
      "USD",
      "ETH",
      /^receiving_amount: must have at most 18/,
    ],
    ["receiving_amount", "0.0000001", "USD", "USDC", /^receiving_amount: must have at most 6/],
    ["source_amount", "9".repeat(35), "USD", "USD", /^source_amount: must have at most 15/],
    ["source_amount", `1.${"0".repeat(80)}`, "USD", "USD", /^source_amount: must be a decimal/],
    ["source_amount", "1000000000000000", "USD", "USD", /^source_amount: must have at most 15/],
    ["receiving_amount", "999999999999999.99", "USD", "USD", "source_amount: would be too large"],
    ["source_amount", "0.00001001", "BTC", "BTC", "source_amount: must cover the fees"],
    ["source_amount", "0", "USD", "USD", "source_amount: must be greater than zero"],
    ["receiving_amount", "-0", "USD", "USD", "receiving_amount: must be greater than zero"],
  ])("%s %s of %s → %s is refused", async (field, amount, source, destination, message) => {
    const body = { [field]: amount, ...(await acme.transfer(source, destination)) };
    const answer = await acme.post(paths.rfq, body);
    expect([answer.status, answer.json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(answer.json.message).toMatch(message);
  });
});
