import { create as createMessage, fromJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import {
  CreateCryptoBeneficiaryRequestSchema,
  CryptoBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cryptoCreation } from "../beneficiaries/rpc.ts";
import {
  type Creator,
  creatorOn,
  example,
  type More,
  merchantId,
  refusalOf,
} from "../test-bodies.ts";
import { mutation, startTestService, type TestService, unavailable } from "../test-service.ts";
import { createRecord } from "./creation.ts";

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

type CreateOne = (change: BodyValues, more: More) => Promise<string>;

const creations: readonly (readonly [string, CreateOne])[] = [
  ["crypto", (change, more) => create.crypto(change, more)],
  ["fiat", (change, more) => create.fiat(change, more)],
  ["depositor", (change, more) => create.depositor(2, change, more)],
];

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

  it("refuses in the API's order, with its messages", async () => {
    const before = await stored();
    const notFound = {
      code: "RECORD_NOT_FOUND",
      message: "Unable to find the record requested.",
    };
    service.compliance.wallet = Verdict.BLOCK;
    const everything = { ...bad, ...badWallet };
    expect(await refusalOf(createOne(everything, { merchantId: "mer_bare" }))).toEqual(notFound);
    expect(await refusalOf(createOne(everything, { merchantId: "mer_frozen" }))).toEqual(
      notAllowed,
    );
    expect(await refusalOf(createOne(everything, {}))).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("_type: is required"),
    });
    if (kind !== "fiat") {
      expect(await refusalOf(createOne(badWallet, {}))).toEqual({
        code: "INVALID_WALLET_ADDRESS",
        message: "Wallet address is invalid",
      });
      expect(service.compliance.wallets).toEqual([]);
      for (const verdict of [Verdict.BLOCK, Verdict.REVIEW]) {
        service.compliance.wallet = verdict;
        expect(await refusalOf(createOne({}, {}))).toEqual({
          code: "RISK_ANALYSIS_FAILED",
          message: "Wallet id was found risky",
        });
      }
    }
    expect(await stored()).toEqual(before);
  });

  it("returns the first result to a repeat, despite later changes", async () => {
    const operation = { mutation: mutation() };
    const first = await createOne({}, operation);
    expect(await createOne({}, operation)).toBe(first);
    service.compliance.down = unavailable;
    expect(await createOne({}, operation)).toBe(first);
    await create.permit("mer_acme", false);
    expect(await createOne({}, operation)).toBe(first);
    await create.permit("mer_acme", true);
    expect(
      await createOne({}, { ...operation, merchantId: "mer_globex" }).catch(() => ""),
    ).not.toBe(first);
  });

  it("refuses a repeated operation with different content", async () => {
    const operation = { mutation: mutation() };
    await createOne({}, operation);
    const before = await stored();
    const otherContent = {
      code: "INVALID_REQUEST",
      message: "operation_id: was used for a different request before",
    };
    for (const change of [bad, badWallet]) {
      expect(await refusalOf(createOne(change, operation))).toEqual(otherContent);
    }
    expect(await stored()).toEqual(before);
  });

  it("creates one record from 20 concurrent calls", async () => {
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
    ["is unavailable", unavailable, Code.Unavailable],
    ["ran out of time", new ConnectError("late", Code.DeadlineExceeded), Code.Unavailable],
  ])("is never accepted when compliance %s", async (_what, down, code) => {
    const before = await stored();
    service.compliance.down = down;
    const failed = await create.crypto().catch((error) => error);
    expect(ConnectError.from(failed).code).toBe(code);
    service.compliance.down = undefined;
    service.compliance.wallet = Verdict.UNSPECIFIED;
    await expect(create.crypto()).rejects.toThrow();
    expect(await stored()).toEqual(before);
  });

  it("is screened on its network, in canonical form", async () => {
    await create.crypto({
      routing_code_value_1: "BNB",
      beneficiary_account_number: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    });
    const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    expect(service.compliance.wallets).toEqual([{ address, networks: ["BNB"], merchantId }]);
  });

  it("on a closed network is refused by its field", async () => {
    const live = { ...service.deps, allowed: { routing_code_value_1: ["ETHEREUM", "BTC"] } };
    const fields = fromJson(CryptoBeneficiaryFieldsSchema, {
      ...example(cryptoBeneficiary),
      routing_code_value_1: "BNB",
    });
    const request = createMessage(CreateCryptoBeneficiaryRequestSchema, {
      mutation: mutation(),
      merchantId,
      fields,
    });
    const principal = { kind: "service", name: "gateway" } as const;
    const call = withCallContext({ requestId: "req-1", principal }, () =>
      createRecord(live, live.beneficiaries, cryptoCreation, request),
    );
    expect(await refusalOf(call)).toEqual({
      code: "INVALID_REQUEST",
      message: "routing_code_value_1: must be one of ETHEREUM, BTC",
    });
  });
});
