import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { networkCurrencies, networks } from "@disburse/forms/values/networks.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { bankBody, bankTransfers, cryptoBody, depositorBody, paths, wallets } from "./bodies.ts";
import { id, times } from "./wire.ts";

let platform: TestPlatform;
let acme: Merchant;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = merchantOf(platform.baseUrl, platform.apiKey("acme"));
});

const types = ["Individual", "Corporate"] as const;
const masked = (account: unknown) => String(account).replace(/.(?=.{4})/g, "*");

/** Returns a stored beneficiary as its merchant reads it, without secret fields. */
function stored(body: BodyValues, changes: object) {
  const { beneficiary_document_id, beneficiary_date_of_birth, ...shown } = body;
  return {
    ...shown,
    beneficiary_account_number: masked(body.iban ?? body.beneficiary_account_number),
    ...(body.iban !== undefined && { iban: masked(body.iban) }),
    beneficiary_id: id("ben"),
    screening_status: "cleared",
    archived: false,
    payable: true,
    unpayable_reason: "",
    created_by: { id: expect.any(String), type: "api_key", name: "sandbox key of acme" },
    ...times,
    ...changes,
  };
}

async function register(path: string, body: object, answers = "beneficiary_id"): Promise<string> {
  const { status, json, text } = await acme.post(path, body);
  const prefix = answers === "id" ? "dep" : "ben";
  // Bodies of several tests have the same account, which the response then reports.
  expect([status, json], text).toMatchObject([200, { data: { [answers]: id(prefix) } }]);
  return json.data[answers];
}

describe("crypto beneficiaries", () => {
  const pairs = networks.flatMap((network) =>
    networkCurrencies[network].map((currency) => [network, currency] as const),
  );
  it.each(pairs)("on %s in %s", async (network, currency) => {
    for (const type of types) {
      const body = cryptoBody(network, currency, type);
      const beneficiaryId = await register(paths.crypto, body);
      const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
      const more = { beneficiary_type: "crypto", transfer_method: "CRYPTO" };
      expect(read).toEqual(stored(body, { ...more, beneficiary_id: beneficiaryId }));
    }
  });

  it("has USDC_SOL on SOLANA where no currency is named", async () => {
    const { destination_currency, ...body } = cryptoBody("SOLANA");
    const beneficiaryId = await register(paths.crypto, body);
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    expect(read.destination_currency).toBe("USDC_SOL");
  });
});

describe("fiat beneficiaries", () => {
  const cases = bankTransfers.flatMap((transfer) => types.map((type) => [transfer, type] as const));
  it.each(cases)("by %s of an %s", async (transfer, type) => {
    const body = bankBody(transfer, type);
    const beneficiaryId = await register(paths.fiat, body);
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    const { beneficiary_first_name: first, beneficiary_last_name: last } = body;
    expect(read).toEqual(
      stored(body, {
        beneficiary_type: "fiat",
        transfer_method: body.transfer_type,
        beneficiary_name: type === "Individual" ? `${first} ${last}` : body.beneficiary_name,
      }),
    );
  });

  it("takes contact numbers as numbers too, and leaves out what is optional", async () => {
    const contact = {
      beneficiary_contact_country_code: 44,
      beneficiary_contact_number: 2079460000,
    };
    const beneficiaryId = await register(paths.fiat, { ...bankBody(), ...contact });
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    expect(read).toMatchObject({
      beneficiary_contact_country_code: "44",
      beneficiary_contact_number: "2079460000",
    });
  });
});

describe("what no payment method can carry", () => {
  const refused = async (body: object) => {
    const { status, json, text } = await acme.post(paths.fiat, body);
    expect([status, json.code], text).toEqual([400, "INVALID_REQUEST"]);
    return json.violations;
  };
  const city = (length: number) => ({ beneficiary_city: "a".repeat(length) });

  it.each(["SWIFT", "LOCAL", "INR", "EUR"] as const)(
    "by %s is a long town or street",
    async (by) => {
      const over = by === "EUR" ? "SEPA" : by === "INR" ? "LOCAL" : by;
      const street = (length: number) => ({ beneficiary_address: "b".repeat(length) });
      await register(paths.fiat, { ...bankBody(by), ...city(35), ...street(140) });
      expect(await refused({ ...bankBody(by), ...city(36) })).toEqual([
        {
          field: "beneficiary_city",
          rule: "length",
          message: `must be at most 35 characters over ${over}`,
        },
      ]);
      expect(await refused({ ...bankBody(by), ...street(141) })).toEqual([
        {
          field: "beneficiary_address",
          rule: "length",
          message: `must be at most 140 characters over ${over}`,
        },
      ]);
    },
  );

  it("by ACH is an account number of more than 17, and no address", async () => {
    const account = (length: number) => ({ beneficiary_account_number: "1".repeat(length) });
    await register(paths.fiat, { ...bankBody(), ...account(17), ...city(255) });
    expect(await refused({ ...bankBody(), ...account(18) })).toMatchObject([
      { rule: "length", message: "must be at most 17 characters over ACH" },
    ]);
  });

  it("is a name in another script without its Latin letters, and not a long one", async () => {
    const name = (first: string, last: string) => ({
      beneficiary_first_name: first,
      beneficiary_last_name: last,
    });
    for (const by of ["ACH", "SWIFT", "INR", "EUR"] as const) {
      const body = { ...bankBody(by), ...name("太郎", "山田") };
      expect(await refused(body)).toMatchObject([
        { field: "beneficiary_name_latin", rule: "required" },
      ]);
      const latin = { beneficiary_name_latin: "Yamada Taro" };
      const beneficiaryId = await register(paths.fiat, { ...body, ...latin });
      const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
      expect(read).toMatchObject({ beneficiary_name: "太郎 山田", ...latin });
      await register(paths.fiat, { ...bankBody(by), ...name("Юлия", "Παππάς") });
      await register(paths.fiat, { ...bankBody(by), ...name("a".repeat(255), "b".repeat(255)) });
    }
  });

  it("is a listed name in Latin letters beside another one", async () => {
    const [party] = listedParties.filter(({ type }) => type === "Individual");
    const beneficiaryId = await register(paths.fiat, {
      ...bankBody(),
      beneficiary_first_name: "太郎",
      beneficiary_last_name: "山田",
      beneficiary_name_latin: party?.name ?? "",
    });
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    expect(read.screening_status).toMatch(/^(review|blocked)$/);
  });
});

describe("fields that a person or a country does not have", () => {
  it("are a second name", async () => {
    const { beneficiary_first_name: _, ...mononym } = bankBody();
    const { json } = await acme.post(paths.fiat, mononym);
    expect(json.message).toBe("beneficiary_first_name: is required");
    const single = { ...mononym, beneficiary_single_name: true };
    const beneficiaryId = await register(paths.fiat, single);
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
    expect(read).toMatchObject({ beneficiary_name: "Doe", beneficiary_single_name: true });
    const text = await acme.post(paths.fiat, { ...mononym, beneficiary_single_name: "yes" });
    expect(text.json.message).toBe(
      "beneficiary_first_name: is required; beneficiary_single_name: must be true or false",
    );
  });

  it("are a state and a postcode", async () => {
    const dubai = {
      ...bankBody("SWIFT"),
      beneficiary_country_code: "AE",
      beneficiary_city: "Dubai",
      beneficiary_state: "-",
      beneficiary_postcode: "N/A",
    };
    await register(paths.fiat, dubai);
    const { json } = await acme.post(paths.fiat, { ...dubai, beneficiary_country_code: "CA" });
    expect(json.message).toBe(
      "beneficiary_state: is required in a postal address of CA; beneficiary_postcode: is required in a postal address of CA",
    );
    const { beneficiary_country_code: _, ...without } = bankBody("SWIFT");
    await register(paths.fiat, without);
  });

  it("are none in Kosovo", async () => {
    const kosovo = {
      ...bankBody("SWIFT"),
      destination_country: "XK",
      beneficiary_country_code: "XK",
      beneficiary_bank_country_code: "XK",
      routing_code_value_1: "NLPRXKPR",
      beneficiary_account_number: "XK051212012345678906",
    };
    await register(paths.fiat, kosovo);
    const person = structuredClone(depositorBody("individual")) as Record<string, never>;
    Object.assign(person.depositor_details?.["person_details"] ?? {}, { citizenship: "XK" });
    await register(paths.depositor, person, "id");
    await register(paths.crypto, { ...cryptoBody(), beneficiary_country_code: "XK" });
  });
});

describe("depositors", () => {
  const withoutWallet = () => {
    const { depositor_wallet_address, ...rest } = depositorBody("individual");
    return rest;
  };
  it.each<[string, () => BodyValues]>([
    ["a person", withoutWallet],
    ["a person with a wallet", () => depositorBody("individual")],
    ["a company", () => depositorBody("corporate")],
    ["the merchant's own business", () => depositorBody("self_business")],
    ...Object.entries(wallets).map(
      ([network, depositor_wallet_address]): [string, () => BodyValues] => [
        `a wallet of ${network}`,
        () => ({ ...depositorBody("self_business"), depositor_wallet_address }),
      ],
    ),
  ])("%s", async (_what, make) => {
    const body = make();
    const depositorId = await register(paths.depositor, body, "id");
    const read = await acme.data("GET", `${paths.depositor}/${depositorId}`);
    const head = { id: depositorId, status: "whitelisted", ...times };
    const { depositor_relation, depositor_wallet_address } = body;
    expect(read).toMatchObject({ ...head, depositor_relation });
    expect(read.depositor_wallet_address).toBe(depositor_wallet_address);
    expect(JSON.stringify(read)).not.toMatch(/X1234567|12-3456789|1985-04-12/);
  });
});

describe("listed parties", () => {
  const spellings: [string, (name: string) => string][] = [
    ["as listed", (name) => name],
    ["in capitals", (name) => name.toUpperCase()],
    ["reordered", (name) => name.split(" ").reverse().join(" ")],
    ["misspelt by a letter", (name) => name.replace(/.(?=.$)/, "q")],
  ];
  it.each(spellings)("%s are not cleared", async (_how, spell) => {
    for (const { name, type, date_of_birth, country } of listedParties) {
      const date = `beneficiary_date_of_${type === "Individual" ? "birth" : "incorporation"}`;
      const beneficiaryId = await register(paths.crypto, {
        ...cryptoBody("ETHEREUM", "ETH", type),
        beneficiary_name: spell(name),
        beneficiary_country_code: country,
        [date]: date_of_birth,
      });
      const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiaryId}`);
      expect(read.screening_status, spell(name)).toMatch(/^(review|blocked)$/);
    }
  });

  it("as a depositor's owner keep the depositor from the white list", async () => {
    const body = structuredClone(depositorBody("corporate")) as Record<string, unknown>;
    const [first = "", last = ""] = listedParties[0]?.name.split(" ") ?? [];
    const [owner] = body.company_owner_details as { person_details: object }[];
    Object.assign(owner?.person_details ?? {}, { firstname: first, lastname: last });
    const depositorId = await register(paths.depositor, body, "id");
    const read = await acme.data("GET", `${paths.depositor}/${depositorId}`);
    expect(read.status).toMatch(/^(review|rejected)$/);
  });
});
