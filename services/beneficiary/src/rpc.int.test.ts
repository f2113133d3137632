import { create, fromJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import {
  BeneficiaryKind,
  CreateCryptoBeneficiaryRequestSchema,
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  DepositorStatus,
  FiatBeneficiaryFieldsSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/field.ts";
import { exampleOf } from "@disburse/forms/public-bodies.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCryptoBeneficiary } from "./creation.ts";
import { sweepOnce } from "./screening-sweep.ts";
import {
  mutation,
  notAnswering,
  startTestService,
  sweepEveryMs,
  type TestService,
} from "./testing.ts";

let service: TestService;
const merchantId = "mer_acme";

beforeAll(async () => {
  service = await startTestService();
  await permit("mer_acme", true);
  await permit("mer_globex", true);
  await permit("mer_frozen", false);
});
afterAll(() => service.stop());
beforeEach(() => {
  const { compliance } = service;
  compliance.down = undefined;
  compliance.wallet = Verdict.CLEAR;
  compliance.party = Verdict.CLEAR;
  compliance.wallets.length = 0;
  compliance.parties.length = 0;
});

function permit(merchant: string, yes: boolean, operationId?: string) {
  return service.rpc.setMerchantSettings({
    mutation: mutation(operationId),
    settings: { merchantId: merchant, mayCreateBeneficiaries: yes, mayCreateDepositors: yes },
  });
}

function example(body: PublicBody, at = 0): BodyValues {
  const form = body.forms[at];
  return form === undefined ? {} : exampleOf(form);
}

type More = { mutation?: ReturnType<typeof mutation>; merchantId?: string };

const person = example(cryptoBeneficiary);

async function createCrypto(change: BodyValues = {}, more: More = {}): Promise<string> {
  const fields = fromJson(CryptoBeneficiaryFieldsSchema, { ...person, ...change });
  const request = { mutation: mutation(), merchantId, ...more, fields };
  return (await service.rpc.createCryptoBeneficiary(request)).beneficiaryId;
}

async function createFiat(change: BodyValues = {}, more: More = {}, at = 0): Promise<string> {
  const fields = fromJson(FiatBeneficiaryFieldsSchema, {
    ...example(fiatBeneficiary, at),
    ...change,
  });
  const request = { mutation: mutation(), merchantId, ...more, fields };
  return (await service.rpc.createFiatBeneficiary(request)).beneficiaryId;
}

async function createDepositor(at: number, change: BodyValues = {}, more: More = {}) {
  const fields = fromJson(DepositorFieldsSchema, { ...example(depositor, at), ...change });
  const request = { mutation: mutation(), merchantId, ...more, fields };
  return (await service.rpc.createDepositor(request)).depositorId;
}

const creations = [
  ["crypto", createCrypto],
  ["fiat", createFiat],
  ["depositor", (change: BodyValues, more: More) => createDepositor(2, change, more)],
] as const;

async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return readRefusal(error) ?? error;
}

async function statusOf(beneficiaryId: string) {
  const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
  return beneficiary?.screeningStatus;
}

const stored = async () => {
  const { db } = service.database;
  const counts = ["beneficiaries", "depositors"].map((name) =>
    db.collection(name).countDocuments(),
  );
  return Promise.all(counts);
};

describe.each(creations)("creating (%s)", (kind, createOne) => {
  const bad: BodyValues =
    kind === "depositor" ? { depositor_type: "" } : { beneficiary_account_type: "" };
  const walletField =
    kind === "depositor" ? "depositor_wallet_address" : "beneficiary_account_number";
  const badWallet = { [walletField]: "0x123" };
  const notAllowed = {
    code: "BENEFICIARY_CREATION_NOT_ALLOWED",
    message: "Beneficiary creation not allowed",
  };

  it("refuses in the interface's order, with its sentences", async () => {
    const before = await stored();
    const notFound = {
      code: "RECORD_NOT_FOUND",
      message: "Unable to find the record requested.",
    };
    service.compliance.wallet = Verdict.BLOCK;
    const everything = { ...bad, ...badWallet };
    expect(await refusal(createOne(everything, { merchantId: "mer_bare" }))).toEqual(notFound);
    expect(await refusal(createOne(everything, { merchantId: "mer_frozen" }))).toEqual(notAllowed);
    expect(await refusal(createOne(everything, {}))).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("_type: is required"),
    });
    if (kind !== "fiat") {
      expect(await refusal(createOne(badWallet, {}))).toEqual({
        code: "INVALID_WALLET_ADDRESS",
        message: "Wallet address is invalid",
      });
      expect(service.compliance.wallets).toEqual([]);
      for (const verdict of [Verdict.BLOCK, Verdict.REVIEW]) {
        service.compliance.wallet = verdict;
        expect(await refusal(createOne({}, {}))).toEqual({
          code: "RISK_ANALYSIS_FAILED",
          message: "Wallet id was found risky",
        });
      }
    }
    expect(await stored()).toEqual(before);
  });

  it("answers a repeat with the first result, whatever changed since", async () => {
    const operation = { mutation: mutation() };
    const first = await createOne({}, operation);
    expect(await createOne({}, operation)).toBe(first);
    service.compliance.down = notAnswering;
    expect(await createOne({ ...bad, ...badWallet }, operation)).toBe(first);
    expect(
      await createOne({}, { ...operation, merchantId: "mer_globex" }).catch(() => ""),
    ).not.toBe(first);
  });

  it("makes one record of 20 concurrent tries", async () => {
    const before = await stored();
    const operation = { mutation: mutation() };
    const tries = Array.from({ length: 20 }, () => createOne({}, operation));
    expect(new Set(await Promise.all(tries)).size).toBe(1);
    const [beneficiaries = 0, depositors = 0] = await stored();
    expect(beneficiaries + depositors).toBe((before[0] ?? 0) + (before[1] ?? 0) + 1);
  });

  it("needs an operation and an actor", async () => {
    const failed = await createOne({}, { mutation: mutation(" ") }).catch((error) => error);
    expect(ConnectError.from(failed).code).toBe(Code.InvalidArgument);
  });
});

describe("a wallet", () => {
  it.each([
    ["is unavailable", notAnswering, Code.Unavailable],
    ["ran out of time", new ConnectError("late", Code.DeadlineExceeded), Code.Unavailable],
  ])("is never passed when compliance %s", async (_what, down, code) => {
    const before = await stored();
    service.compliance.down = down;
    const failed = await createCrypto().catch((error) => error);
    expect(ConnectError.from(failed).code).toBe(code);
    service.compliance.down = undefined;
    service.compliance.wallet = Verdict.UNSPECIFIED;
    await expect(createCrypto()).rejects.toThrow();
    expect(await stored()).toEqual(before);
  });

  it("is screened on its network, in canonical form", async () => {
    await createCrypto({
      routing_code_value_1: "BNB",
      beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    });
    const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    expect(service.compliance.wallets).toEqual([{ address, networks: ["BNB"], merchantId }]);
  });

  it("on a network that is not open is refused by its field", async () => {
    const live = { ...service.deps, allowed: { routing_code_value_1: ["ETHEREUM", "BTC"] } };
    const fields = fromJson(CryptoBeneficiaryFieldsSchema, {
      ...person,
      routing_code_value_1: "BNB",
    });
    const request = create(CreateCryptoBeneficiaryRequestSchema, {
      mutation: mutation(),
      merchantId,
      fields,
    });
    const call = createCryptoBeneficiary(live, request);
    expect(await refusal(call)).toEqual({
      code: "INVALID_REQUEST",
      message: "routing_code_value_1: must be one of ETHEREUM, BTC",
    });
  });
});

describe("screening", () => {
  it.each([
    [Verdict.CLEAR, ScreeningStatus.CLEARED],
    [Verdict.REVIEW, ScreeningStatus.REVIEW],
    [Verdict.BLOCK, ScreeningStatus.BLOCKED],
  ])("of verdict %i is done when the creation answers", async (verdict, status) => {
    service.compliance.party = verdict;
    expect(await statusOf(await createFiat())).toBe(status);
    expect(await statusOf(await createCrypto())).toBe(status);
  });

  it("tells compliance of the whole party", async () => {
    const recordId = await createCrypto();
    expect(service.compliance.parties).toMatchObject([
      {
        recordId,
        parties: [
          {
            type: Party_Type.INDIVIDUAL,
            name: "Jane Doe",
            date: "1985-04-12",
            countries: ["US"],
            documentIds: ["X1234567"],
          },
        ],
      },
    ]);
  });

  it("is made up for by the sweep, without anyone asking, less and less often", async () => {
    const { compliance, clock, deps } = service;
    compliance.down = notAnswering;
    const id = await createFiat();
    const dep = await createDepositor(1, { depositor_wallet_address: "" });
    expect(await statusOf(id)).toBe(ScreeningStatus.PENDING);
    const tries = () => compliance.parties.filter((each) => each.recordId === id).length;
    expect(tries()).toBe(1);
    await sweepOnce({ ...deps, sweepEveryMs });
    expect(tries()).toBe(1);
    clock.moveMs(sweepEveryMs);
    await sweepOnce({ ...deps, sweepEveryMs });
    expect(tries()).toBe(2);
    clock.moveMs(sweepEveryMs);
    await sweepOnce({ ...deps, sweepEveryMs });
    expect(tries()).toBe(2);
    compliance.down = undefined;
    clock.moveMs(sweepEveryMs * 2);
    await sweepOnce({ ...deps, sweepEveryMs });
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
    const read = await service.rpc.getDepositor({ merchantId, depositorId: dep });
    expect(read.depositor?.status).toBe(DepositorStatus.WHITELISTED);
    expect(new Set(compliance.parties.map((each) => each.operationId)).size).toBe(
      compliance.parties.length,
    );
    clock.moveMs(60_000);
    compliance.parties.length = 0;
    await sweepOnce({ ...deps, sweepEveryMs });
    expect(compliance.parties).toEqual([]);
  });

  it("of one record that always fails does not keep the others waiting", async () => {
    const { compliance, clock, deps } = service;
    compliance.down = notAnswering;
    const ids = [await createFiat(), await createFiat(), await createFiat()];
    compliance.down = undefined;
    clock.moveMs(sweepEveryMs);
    const failsFor = ids[0];
    const picky: typeof compliance.screenParty = (request, options) =>
      request.subject?.recordId === failsFor
        ? Promise.reject(new ConnectError("bug", Code.Internal))
        : compliance.screenParty(request, options);
    await sweepOnce({ ...deps, compliance: { ...compliance, screenParty: picky }, sweepEveryMs });
    expect(await Promise.all(ids.map(statusOf))).toEqual([
      ScreeningStatus.PENDING,
      ScreeningStatus.CLEARED,
      ScreeningStatus.CLEARED,
    ]);
  });

  it("of a pending record is tried again by a repeat of its creation", async () => {
    service.compliance.down = notAnswering;
    const operation = { mutation: mutation() };
    const id = await createFiat({}, operation);
    service.compliance.down = undefined;
    expect(await createFiat({}, operation)).toBe(id);
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
  });
});

describe("a depositor", () => {
  const read = async (depositorId: string) => {
    const { depositor: found } = await service.rpc.getDepositor({ merchantId, depositorId });
    if (found === undefined) throw new Error("no depositor");
    return found;
  };

  it("of the merchant's own business is whitelisted by its wallet", async () => {
    const own = await read(await createDepositor(0));
    expect(own.status).toBe(DepositorStatus.WHITELISTED);
    expect(own.fields?.depositorWalletAddress).toBe(example(depositor).depositor_wallet_address);
    expect(own.fields?.depositorBusinessId).toBe("BUS-0001");
    expect(service.compliance.parties).toEqual([]);
  });

  it("without a wallet is screened by its person alone", async () => {
    service.compliance.party = Verdict.BLOCK;
    const found = await read(await createDepositor(1, { depositor_wallet_address: "" }));
    expect(found.status).toBe(DepositorStatus.REJECTED);
    expect(service.compliance.wallets).toEqual([]);
    expect(found.fields?.depositorDetails?.personDetails?.firstname).toBe("Jane");
    expect(found.fields?.depositorDetails?.personDetails?.dateOfBirth).toBe("");
    expect(found.fields?.depositorDetails?.documents?.documentNumber).toBe("");
  });

  it("that is a company is screened with its owners, its wallet on every network", async () => {
    service.compliance.party = Verdict.REVIEW;
    expect((await read(await createDepositor(2))).status).toBe(DepositorStatus.REVIEW);
    expect(service.compliance.parties[0]?.parties.map((each) => each.type)).toEqual([
      Party_Type.ENTITY,
      Party_Type.INDIVIDUAL,
    ]);
    expect(service.compliance.wallets[0]?.networks).toEqual(["ETHEREUM", "POL", "BNB"]);
  });
});

describe("reading", () => {
  it("masks the account number and leaves document and birth date out", async () => {
    const id = await createCrypto();
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

  it("tells the payout service, and no other, how to pay", async () => {
    const id = await createFiat({}, {}, 1);
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
    });
    const crypto = await createCrypto({
      beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    });
    const instruction = await rpc.getPaymentInstruction({ merchantId, beneficiaryId: crypto });
    expect(instruction.accountNumber).toBe("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    expect(instruction.network).toBe("ETHEREUM");
    const other = await startTestService("gateway");
    const call = other.rpc.getPaymentInstruction({ merchantId, beneficiaryId: id });
    expect(ConnectError.from(await call.catch((error) => error)).code).toBe(Code.PermissionDenied);
    await other.stop();
  });

  it("knows nothing of another merchant's records", async () => {
    const beneficiaryId = await createFiat();
    const depositorId = await createDepositor(0);
    const { rpc } = service;
    const foreign = { merchantId: "mer_globex", beneficiaryId };
    const calls = [
      rpc.getBeneficiary(foreign),
      rpc.getPaymentInstruction(foreign),
      rpc.getDepositor({ merchantId: "mer_globex", depositorId }),
      rpc.getBeneficiary({ merchantId, beneficiaryId: "ben_none" }),
      rpc.getBeneficiary({ merchantId: "", beneficiaryId }),
      rpc.getDepositor({ merchantId, depositorId: beneficiaryId }),
      rpc.getMerchantSettings({ merchantId: "mer_bare" }),
    ];
    const answers = await Promise.all(calls.map(refusal));
    expect(answers).toMatchObject(calls.map(() => ({ code: "RECORD_NOT_FOUND" })));
  });
});

describe("settings", () => {
  it("change by operation, once", async () => {
    await permit("mer_new", true, "op-first");
    await permit("mer_new", false, "op-second");
    const repeat = await permit("mer_new", true, "op-first");
    expect(repeat.settings).toMatchObject({ mayCreateBeneficiaries: true });
    const { settings } = await service.rpc.getMerchantSettings({ merchantId: "mer_new" });
    expect(settings).toMatchObject({
      merchantId: "mer_new",
      mayCreateBeneficiaries: false,
      mayCreateDepositors: false,
    });
  });

  it("of 20 concurrent tries make one document", async () => {
    const tries = Array.from({ length: 20 }, (_each, at) =>
      permit("mer_race", true, `op-race-${at % 4}`),
    );
    await Promise.all(tries);
    const collection = service.database.db.collection<{ _id: string; operations: unknown[] }>(
      "merchant_settings",
    );
    expect((await collection.findOne({ _id: "mer_race" }))?.operations).toHaveLength(4);
  });
});
