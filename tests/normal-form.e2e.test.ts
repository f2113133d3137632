import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { readDocument } from "@disburse/testkit/reference.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { id } from "./wire.ts";

let platform: TestPlatform;
let acme: Merchant;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = merchantOf(platform.baseUrl, platform.apiKey("acme"));
});

const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

describe("a text that we rewrite", () => {
  it.each([
    ["EUR", { iban: "de89 3704 0044 0532 0130 00" }, { iban: "******************3000" }],
    [
      "SWIFT to an IBAN",
      { beneficiary_account_number: "DE89 3704 0044 0532 0130 00" },
      { beneficiary_account_number: "******************3000" },
    ],
    [
      "ACH",
      {
        beneficiary_contact_country_code: "+1",
        beneficiary_contact_number: "(212) 555-0123",
      },
      { beneficiary_contact_country_code: "1", beneficiary_contact_number: "2125550123" },
    ],
  ] as const)("is stored in normal form: %s", async (transfer, printed, stored) => {
    const body = { ...bankBody(transfer), ...printed };
    const { beneficiary_id: beneficiaryId } = await acme.data("POST", paths.fiat, body);
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    expect(read).toMatchObject(stored);
  });

  it.each([
    ["an IBAN", paths.fiat, bankBody("EUR"), { iban: "de89 3704 0044 0532 0130 00" }],
    ["a telephone number", paths.fiat, bankBody(), { beneficiary_contact_number: "212 555-0123" }],
    ["blanks", paths.crypto, cryptoBody(), { beneficiary_name: "  Jane Doe " }],
    [
      "letters of a wallet",
      paths.crypto,
      cryptoBody(),
      { beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" },
    ],
  ])("makes no other request: %s", async (_what, path, body, otherwise) => {
    const headers = key();
    const first = await acme.post(path, body, headers);
    const repeat = await acme.post(path, { ...body, ...otherwise }, headers);
    expect([repeat.status, repeat.json]).toEqual([200, first.json]);
    expect(repeat.headers.get("idempotent-replayed")).toBe("true");
    const other = await acme.post(path, { ...body, beneficiary_city: "Elsewhere" }, headers);
    expect([other.status, other.json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  });
});

it.each([
  [paths.crypto, cryptoBody(), { beneficiary_id: id("ben") }],
  [paths.fiat, bankBody(), { beneficiary_id: id("ben") }],
  [paths.depositor, depositorBody("individual"), { id: id("dep") }],
])("%s takes a body that begins with a byte-order mark", async (path, body, data) => {
  const { status, json } = await acme.post(path, `\ufeff${JSON.stringify(body)}`);
  expect([status, json]).toMatchObject([200, { data }]);
});

it("every list begins at its first page with an empty cursor", async () => {
  const document = readDocument() as { paths: Record<string, { get?: object }> };
  const lists = Object.entries(document.paths).flatMap(([path, { get }]) =>
    !path.includes("{") && JSON.stringify(get ?? {}).includes('"name":"cursor"') ? [path] : [],
  );
  expect(lists.length).toBeGreaterThan(5);
  for (const path of lists) {
    expect([path, (await acme.get(`${path}?cursor=`)).status]).toEqual([path, 200]);
  }
  // Other tests create and remove records in the other collections.
  const corridors = "/api/v1/transfer/corridors?limit=3";
  const [plain, empty] = [await acme.get(corridors), await acme.get(`${corridors}&cursor=`)];
  expect(empty.json).toEqual(plain.json);
  expect(empty.json.data.corridors).toHaveLength(3);
});

describe("a wallet that nobody can own", () => {
  const invalid = [400, { code: "INVALID_WALLET_ADDRESS", message: "Wallet address is invalid" }];

  it.each([
    ["ETHEREUM", "0x000000000000000000000000000000000000dEaD"],
    ["POL", "0xdAC17F958D2ee523a2206206994597C13D831ec7"],
    ["BNB", "0x0000000000000000000000000000000000000064"],
    ["SOLANA", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
    ["BTC", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs"],
    ["TRX", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"],
  ] as const)("is refused, of a beneficiary and a depositor: %s %s", async (network, address) => {
    const currencies = { POL: "MATIC_POLYGON", SOLANA: "SOL", BTC: "BTC", TRX: "USDT_TRON" };
    const currency = network in currencies ? currencies[network as "POL"] : "ETH";
    const body = { ...cryptoBody(network, currency), beneficiary_account_number: address };
    const created = await acme.post(paths.crypto, body);
    expect([created.status, created.json]).toEqual(invalid);
    const own = { ...depositorBody("self_business"), depositor_wallet_address: address };
    const depositor = await acme.post(paths.depositor, own);
    expect([depositor.status, depositor.json]).toEqual(invalid);
  });
});
