import { custodyProviderName } from "@disburse/forms/values/custody-providers.ts";
import { describe, expect, it } from "vitest";
import type { Fields } from "../../records/rules/private-fields.ts";
import { type PartyBank, pendingScreening } from "../../records/rules/screening.ts";
import {
  accountNumberOf,
  beneficiaryScope,
  newCryptoBeneficiary,
  newFiatBeneficiary,
  payeeAddress,
  routingOf,
  shownFields,
} from "./beneficiary.ts";

const scopeOf = (record: Parameters<typeof beneficiaryScope>[0], whole: Fields) =>
  beneficiaryScope(record, whole, custodyProviderName);

const now = new Date("2026-11-20T11:26:00.000Z");
const origin = { id: "ben_1", merchantId: "mer_a", now, screening: pendingScreening(now, 1_000) };

describe("a crypto beneficiary", () => {
  const body: Fields = {
    beneficiary_name: "Jane Doe",
    beneficiary_account_type: "Individual",
    routing_code_value_1: "POL",
    destination_currency: "MATIC_POLYGON",
    beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  };

  it("is paid to the canonical address and shows the merchant's own last four", () => {
    const created = newCryptoBeneficiary(origin, body, "0xCANONICAL");
    expect(created).toMatchObject({
      kind: "crypto",
      name: "Jane Doe",
      network: "POL",
      transferMethod: "CRYPTO",
      destinationCurrency: "MATIC_POLYGON",
      accountNumberMasked: `${"*".repeat(38)}eaed`,
      archived: false,
      screening: { status: "pending" },
    });
    expect(created.whole).toEqual({ ...body, beneficiary_account_number: "0xCANONICAL" });
  });
});

describe("a fiat beneficiary", () => {
  const person: Fields = {
    beneficiary_account_type: "Individual",
    beneficiary_first_name: "Jane",
    beneficiary_last_name: "Doe",
    beneficiary_account_number: "1234567890",
    transfer_type: "SWIFT",
  };
  const company = {
    ...person,
    beneficiary_account_type: "Corporate",
    beneficiary_name: "Doe LLC",
    transfer_type: "ACH",
  };

  it.each([
    [person, "Jane Doe", "SWIFT"],
    [company, "Doe LLC", "ACH"],
  ])("has the name of its account type", (body, name, transferMethod) => {
    const created = newFiatBeneficiary(origin, body);
    expect(created).toMatchObject({ kind: "fiat", name, transferMethod, network: "" });
    expect(created.accountNumberMasked).toBe("******7890");
  });

  it("of a person with one name has that name", () => {
    const { beneficiary_first_name: _, ...rest } = person;
    expect(newFiatBeneficiary(origin, { ...rest, beneficiary_single_name: true }).name).toBe("Doe");
  });

  it("is screened by its name and its Latin name, which the bank receives", () => {
    const body = { ...company, beneficiary_name: "山田商事", destination_country: "US" };
    const created = newFiatBeneficiary(origin, body);
    const scope = (latin: string) =>
      scopeOf(created, { ...body, beneficiary_name_latin: latin }).parties.map(
        ({ type, name, countries }) => [type, name, ...countries],
      );
    expect(scope("Yamada Shoji")).toEqual([
      ["entity", "山田商事", "US"],
      ["entity", "Yamada Shoji", "US"],
    ]);
    expect(scope("")).toEqual([["entity", "山田商事", "US"]]);
    expect(scope("山田商事")).toEqual([["entity", "山田商事", "US"]]);
  });

  it("has an address without placeholders, in its country or the destination's", () => {
    const address = {
      beneficiary_address: "1 Main St",
      beneficiary_city: "Dubai",
      beneficiary_state: "-",
      beneficiary_postcode: "N/A",
      destination_country: "AE",
    };
    expect(payeeAddress(address)).toEqual({
      street: "1 Main St",
      city: "Dubai",
      state: "",
      postcode: "",
      countryCode: "AE",
    });
    expect(payeeAddress({ ...address, beneficiary_country_code: "SA" }).countryCode).toBe("SA");
  });
});

describe("a beneficiary in EUR", () => {
  const body: Fields = {
    beneficiary_account_type: "Corporate",
    beneficiary_name: "Doe GmbH",
    destination_currency: "EUR",
    transfer_type: "SEPA",
    iban: "DE89370400440532013000",
    beneficiary_country_code: "AT",
  };

  it("is paid to its IBAN, which is masked when shown", () => {
    const created = newFiatBeneficiary(origin, body);
    const masked = "******************3000";
    expect(created).toMatchObject({ transferMethod: "SEPA", accountNumberMasked: masked });
    expect(accountNumberOf(body)).toBe("DE89370400440532013000");
    const shown = { ...created, fields: { beneficiary_name: "Doe GmbH" } };
    expect(shownFields(shown)).toEqual({ beneficiary_name: "Doe GmbH", iban: masked });
  });

  it.each([
    ["without a BIC", {}, ""],
    ["by its BIC", { bic: "COBADEFFXXX" }, "SWIFT"],
  ])("is routed %s to the country of its IBAN", (_how, change: Fields, routingCodeType1) => {
    const routingCodeValue1 = "bic" in change ? "COBADEFFXXX" : "";
    expect(routingOf({ ...body, ...change })).toEqual({
      ...{ routingCodeType1, routingCodeValue1, destinationCountry: "DE" },
    });
  });

  it("is screened by its name, its residence and the country of its IBAN", () => {
    const created = newFiatBeneficiary(origin, body);
    expect(scopeOf(created, body)).toEqual({
      parties: [{ type: "entity", name: "Doe GmbH", date: "", countries: ["AT"], documentIds: [] }],
      wallets: [],
      banks: [{ name: "", bic: "", country: "DE" }],
    });
  });
});

it.each([
  ["Individual", "individual", "1985-04-12"],
  ["Corporate", "entity", "2012-09-03"],
])("screens an %s as %s", (accountType, type, date) => {
  const whole = {
    beneficiary_account_type: accountType,
    beneficiary_country_code: "US",
    beneficiary_document_id: "X1",
    beneficiary_date_of_birth: "1985-04-12",
    beneficiary_date_of_incorporation: "2012-09-03",
  };
  const paid = { name: "Doe", network: "" };
  const parties = [{ type, name: "Doe", date, countries: ["US"], documentIds: ["X1"] }];
  expect(scopeOf({ ...paid, kind: "fiat" }, whole)).toEqual({
    parties,
    wallets: [],
    banks: [],
  });
});

const unknown: PartyBank = { name: "", bic: "", country: "" };

it.each<readonly [string, Fields, readonly Partial<PartyBank>[]]>([
  ["no bank that is named", {}, []],
  ["its name", { beneficiary_bank_name: "First Bank" }, [{ name: "First Bank" }]],
  [
    "its name and the BIC that it is routed by",
    {
      beneficiary_bank_name: "First Bank",
      routing_code_type_1: "SWIFT",
      routing_code_value_1: "CHASUS33",
    },
    [{ name: "First Bank", bic: "CHASUS33" }],
  ],
  ["the BIC of an account in EUR", { bic: "COBADEFFXXX" }, [{ bic: "COBADEFFXXX" }]],
  [
    "a second BIC as a bank of its own",
    {
      routing_code_type_1: "SWIFT",
      routing_code_value_1: "CHASUS33",
      routing_code_type_2: "SWIFT",
      routing_code_value_2: "COBADEFF",
    },
    [{ bic: "CHASUS33" }, { bic: "COBADEFF" }],
  ],
  [
    "a second BIC of whatever type, in whatever letters",
    {
      routing_code_type_1: "SWIFT",
      routing_code_value_1: "CHASUS33",
      routing_code_type_2: "Intermediary swift",
      routing_code_value_2: "cobade ffxxx",
    },
    [{ bic: "CHASUS33" }, { bic: "COBADEFFXXX" }],
  ],
  [
    "the country of its IBAN, not the one that is entered",
    { iban: "IR062960000000100324200001", beneficiary_bank_country_code: "DE" },
    [{ country: "IR" }],
  ],
  [
    "the country that is entered for the bank, or else where the money goes",
    { beneficiary_bank_country_code: "KP", destination_country: "DE" },
    [{ country: "KP" }],
  ],
  ["the country where the money goes", { destination_country: "IN" }, [{ country: "IN" }]],
  ["no IFSC", { routing_code_type_1: "IFSC", routing_code_value_1: "HDFC0000001" }, []],
  [
    "no code that is no BIC",
    {
      routing_code_type_1: "ACH CODE",
      routing_code_value_1: "021000021",
      routing_code_type_2: "SWIFT",
      routing_code_value_2: "001",
    },
    [],
  ],
])("screens of a bank account's bank %s", (_, bank, banks) => {
  const whole = { beneficiary_account_type: "Individual", ...bank };
  const of = { name: "Doe", network: "" };
  expect(scopeOf({ ...of, kind: "fiat" }, whole).banks).toEqual(
    banks.map((each) => ({ ...unknown, ...each })),
  );
  expect(scopeOf({ ...of, kind: "crypto" }, whole).banks).toEqual([]);
});

it("screens a crypto beneficiary's wallet on its network, and no bank account", () => {
  const whole = { beneficiary_account_type: "Individual", beneficiary_account_number: "0xA" };
  const wallets = (kind: "crypto" | "fiat") =>
    scopeOf({ kind, name: "Doe", network: "POL" }, whole).wallets;
  expect(wallets("crypto")).toEqual([{ networks: ["POL"], address: "0xA" }]);
  expect(wallets("fiat")).toEqual([]);
});

it.each<readonly [string, string, readonly string[]]>([
  ["OTHERS", "Garantex Europe OU", ["Garantex Europe OU"]],
  ["KRAKEN", "Kraken", ["Kraken"]],
  ["GATE_IO", "Garantex Europe OU", ["Gate.io", "Garantex Europe OU"]],
  ["ACME_VAULT", "Acme Vault Ltd", ["ACME VAULT", "Acme Vault Ltd"]],
  ["OTHERS", "", []],
])("screens the custodian of a wallet like a bank: %s %s", (code, name, names) => {
  const whole = {
    beneficiary_account_type: "Individual",
    beneficiary_account_number: "0xA",
    beneficiary_wallet_custody_provider: code,
    beneficiary_wallet_custody_provider_name: name,
  };
  const scope = (kind: "crypto" | "fiat") => scopeOf({ kind, name: "Doe", network: "POL" }, whole);
  expect(scope("crypto").banks).toEqual(names.map((each) => ({ ...unknown, name: each })));
  expect(scope("fiat").banks).toEqual([]);
});
