import { createClient, createRouterTransport } from "@connectrpc/connect";
import {
  BeneficiaryKind,
  BeneficiaryService,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { beneficiaryRpc } from "./rpc.ts";
import { type Creator, creatorOn, example, merchantId, refusalOf } from "./test-bodies.ts";
import { startTestService, type TestService } from "./test-service.ts";

let service: TestService;
let create: Creator;

beforeAll(async () => {
  service = await startTestService();
  create = creatorOn(service);
  await create.permit("mer_acme", true);
  await create.permit("mer_globex", true);
  await create.permit("mer_frozen", false);
});
afterAll(() => service.stop());
beforeEach(() => service.compliance.reset());

it("lists the forms that this deployment accepts, and no others", async () => {
  const allowed = {
    routing_code_value_1: ["BTC"],
    beneficiary_wallet_custody_provider: ["OWN_VAULT"],
  };
  const transport = createRouterTransport((router) =>
    router.service(BeneficiaryService, beneficiaryRpc({ ...service.deps, allowed })),
  );
  const { listBeneficiaryForms } = createClient(BeneficiaryService, transport);
  const crypto = (await listBeneficiaryForms({})).forms.filter(({ body }) => body === "crypto");
  expect(crypto.map((form) => form.destinationCurrency)).toEqual(["BTC", "BTC"]);
  for (const { fields } of crypto) {
    const provider = fields.find(({ name }) => name === "beneficiary_wallet_custody_provider");
    expect(provider).toMatchObject({ allowedValues: ["OWN_VAULT"], example: "OWN_VAULT" });
  }
});

describe("a depositor", () => {
  const read = async (depositorId: string) => {
    const { depositor: found } = await service.rpc.getDepositor({ merchantId, depositorId });
    if (found === undefined) throw new Error("no depositor");
    return found;
  };

  it("of the merchant's own business is whitelisted by its wallet, which is monitored", async () => {
    const own = await read(await create.depositor(0));
    expect(own.status).toBe(DepositorStatus.WHITELISTED);
    const address = example(depositor).depositor_wallet_address;
    expect(own.fields?.depositorWalletAddress).toBe(address);
    expect(own.fields?.depositorBusinessId).toBe("biz_123");
    expect(service.compliance.parties).toMatchObject([
      { recordId: own.id, parties: [], wallets: [{ networks: [], address }] },
    ]);
  });

  it("without a wallet is screened by its person alone", async () => {
    service.compliance.party = Verdict.BLOCK;
    const found = await read(await create.depositor(1, { depositor_wallet_address: "" }));
    expect(found.status).toBe(DepositorStatus.REJECTED);
    expect(service.compliance.wallets).toEqual([]);
    expect(found.fields?.depositorDetails?.personDetails?.firstname).toBe("Jane");
    expect(found.fields?.depositorDetails?.personDetails?.dateOfBirth).toBe("");
    expect(found.fields?.depositorDetails?.documents?.documentNumber).toBe("");
  });

  it("that is a company is screened with its owners, its wallet on every network", async () => {
    service.compliance.party = Verdict.REVIEW;
    expect((await read(await create.depositor(2))).status).toBe(DepositorStatus.REVIEW);
    expect(service.compliance.parties[0]?.parties.map((each) => each.type)).toEqual([
      Party_Type.ENTITY,
      Party_Type.INDIVIDUAL,
    ]);
    expect(service.compliance.wallets[0]?.networks).toEqual(["ETHEREUM", "POL", "BNB"]);
  });
});

describe("reading", () => {
  it("returns the currencies of the merchant's existing beneficiaries", async () => {
    const [crypto, fiat] = [await create.crypto(), await create.fiat({}, {}, 2)];
    const currenciesOf = async (owner: string, beneficiaryIds: string[]) => {
      const request = { merchantId: owner, beneficiaryIds };
      const { currencies } = await service.rpc.listBeneficiaryCurrencies(request);
      return new Map(currencies.map((each) => [each.beneficiaryId, each.destinationCurrency]));
    };
    const ids = [crypto, fiat, "ben_none"];
    const found = await currenciesOf(merchantId, ids);
    expect([...found.keys()].toSorted()).toEqual([crypto, fiat].toSorted());
    expect(found.get(crypto)).toBe("USDC_ETH");
    expect((await currenciesOf("mer_other", ids)).size).toBe(0);
    const many = Array.from({ length: 1_001 }, (_each, at) => `ben_${at}`);
    await expect(currenciesOf(merchantId, many)).rejects.toThrow("at most 1000");
  });

  it("doesn't leave out an id unless its absence is proven", async () => {
    const watchPrimary = () => () => Promise.reject(new Error("a former primary"));
    const transport = createRouterTransport((router) =>
      router.service(BeneficiaryService, beneficiaryRpc({ ...service.deps, watchPrimary })),
    );
    const { listBeneficiaryCurrencies } = createClient(BeneficiaryService, transport);
    const request = (...beneficiaryIds: string[]) =>
      listBeneficiaryCurrencies({ merchantId, beneficiaryIds });
    const id = await create.crypto();
    expect((await request(id, id)).currencies).toHaveLength(1);
    await expect(request(id, "ben_none")).rejects.toThrow();
  });

  it("masks the account number and omits document and birth date", async () => {
    const id = await create.crypto();
    const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId: id });
    expect(beneficiary).toMatchObject({
      id,
      merchantId,
      kind: BeneficiaryKind.CRYPTO,
      name: "Jane Doe",
      accountType: "Individual",
      destinationCurrency: "USDC_ETH",
      transferMethod: "CRYPTO",
      network: "ETHEREUM",
      accountNumberMasked: `${"*".repeat(38)}eAed`,
      archived: false,
    });
    const fields = beneficiary?.fields;
    if (fields?.case !== "crypto") throw new Error("not a crypto beneficiary");
    expect(fields.value.beneficiaryAccountNumber).toBe(beneficiary?.accountNumberMasked);
    expect(fields.value.beneficiaryDocumentId).toBe("");
    expect(fields.value.beneficiaryDateOfBirth).toBe("");
    expect(fields.value.beneficiaryCity).toBe("New York");
  });

  it("gives records of one account a common key, and another merchant's a different one", async () => {
    const keysOf = async (owner: string, beneficiaryId: string) =>
      (await service.rpc.getBeneficiary({ merchantId: owner, beneficiaryId })).destinationKeys;
    const keys = await keysOf(merchantId, await create.fiat());
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    const renamed = await create.fiat({ beneficiary_last_name: "Roe" });
    expect(await keysOf(merchantId, renamed)).toEqual(keys);
    const other = await create.fiat({ beneficiary_account_number: "7654321" });
    expect(await keysOf(merchantId, other)).not.toEqual(keys);
    const globex = "mer_globex";
    const foreign = await create.fiat({}, { merchantId: globex });
    expect(await keysOf(globex, foreign)).not.toEqual(keys);
  });

  it("seals an IBAN and shows it masked, under its own name", async () => {
    const id = await create.fiat({}, {}, 2);
    const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId: id });
    const masked = "******************3000";
    expect(beneficiary?.accountNumberMasked).toBe(masked);
    const fields = beneficiary?.fields;
    if (fields?.case !== "fiat") throw new Error("not a fiat beneficiary");
    expect(fields.value).toMatchObject({ iban: masked, beneficiaryAccountNumber: "" });
    const stored = await service.database.db
      .collection("beneficiaries")
      .findOne({ _id: id as never });
    expect(JSON.stringify(stored)).not.toContain("370400440532013000");
  });

  it("returns payment instructions to the payout service alone", async () => {
    const id = await create.fiat({}, {}, 1);
    const { rpc } = service;
    expect(await rpc.getPaymentInstruction({ merchantId, beneficiaryId: id })).toMatchObject({
      beneficiaryName: "Asha Rao",
      accountNumber: "50100123456789",
      destinationCurrency: "INR",
      transferMethod: "LOCAL",
      network: "",
      routingCodeType1: "IFSC",
      routingCodeValue1: "HDFC0000001",
      destinationCountry: "IN",
      accountType: "Individual",
      bankAccountType: "Business Checking",
      bankName: "First Bank",
      address: {
        ...{ street: "1 Marine Drive", city: "Mumbai", state: "Maharashtra" },
        ...{ postcode: "400020", countryCode: "IN" },
      },
      screeningStatus: ScreeningStatus.CLEARED,
    });
    const eur = await create.fiat({}, {}, 2);
    expect(await rpc.getPaymentInstruction({ merchantId, beneficiaryId: eur })).toMatchObject({
      ...{ beneficiaryName: "Jane Doe", accountNumber: "DE89370400440532013000" },
      ...{ transferMethod: "SEPA", routingCodeType1: "SWIFT", routingCodeValue1: "COBADEFFXXX" },
      ...{ destinationCurrency: "EUR", destinationCountry: "DE" },
      address: {
        ...{ street: "1 Hauptstrasse", city: "Frankfurt am Main", state: "" },
        ...{ postcode: "60311", countryCode: "DE" },
      },
    });
    const crypto = await create.crypto({
      beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    });
    const instruction = await rpc.getPaymentInstruction({ merchantId, beneficiaryId: crypto });
    expect(instruction.accountNumber).toBe("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    expect(instruction.network).toBe("ETHEREUM");
  });

  it("does not find another merchant's records", async () => {
    const beneficiaryId = await create.fiat();
    const depositorId = await create.depositor(0);
    const { rpc } = service;
    const foreign = { merchantId: "mer_globex", beneficiaryId };
    const calls = [
      rpc.getBeneficiary(foreign),
      rpc.getBeneficiaryStatus(foreign),
      rpc.getPaymentInstruction(foreign),
      rpc.getDepositor({ merchantId: "mer_globex", depositorId }),
      rpc.getBeneficiary({ merchantId, beneficiaryId: "ben_none" }),
      rpc.getBeneficiary({ merchantId: "", beneficiaryId }),
      rpc.getBeneficiaryStatus({ merchantId, beneficiaryId: "ben_none" }),
      rpc.getDepositor({ merchantId, depositorId: beneficiaryId }),
      rpc.getMerchantPermissions({ merchantId: "mer_bare" }),
    ];
    const refusals = await Promise.all(calls.map(refusalOf));
    expect(refusals).toMatchObject(calls.map(() => ({ code: "RECORD_NOT_FOUND" })));
  });
});

describe("permissions", () => {
  it("change by operation, once", async () => {
    await create.permit("mer_new", true, "op-first");
    await create.permit("mer_new", false, "op-second");
    const repeat = await create.permit("mer_new", true, "op-first");
    expect(repeat.permissions).toMatchObject({ mayCreateBeneficiaries: true });
    const other = create.permit("mer_new", false, "op-first");
    await expect(other).rejects.toThrow("was used with other content");
    const { permissions } = await service.rpc.getMerchantPermissions({ merchantId: "mer_new" });
    expect(permissions).toMatchObject({
      merchantId: "mer_new",
      mayCreateBeneficiaries: false,
      mayCreateDepositors: false,
    });
  });

  it("from 20 concurrent calls create one document", async () => {
    const tries = Array.from({ length: 20 }, (_each, at) =>
      create.permit("mer_race", true, `op-race-${at % 4}`),
    );
    await Promise.all(tries);
    const collection = service.database.db.collection<{ _id: string; operations: unknown[] }>(
      "merchant_permissions",
    );
    expect((await collection.findOne({ _id: "mer_race" }))?.operations).toHaveLength(4);
  });
});
