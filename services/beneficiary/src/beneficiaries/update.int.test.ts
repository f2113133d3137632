import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Creator, creatorOn, merchantId, refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";
import type { BeneficiaryDocument } from "./store.ts";

let service: TestService;
let create: Creator;

beforeAll(async () => {
  service = await startTestService();
  create = creatorOn(service);
  await create.permit(merchantId, true);
});
afterAll(() => service.stop());
beforeEach(() => service.compliance.reset());

const update = async (beneficiaryId: string, change: object = {}) => {
  const request = { mutation: mutation(), merchantId, beneficiaryId, ...change };
  return (await service.rpc.updateBeneficiary(request)).beneficiary;
};
const read = async (beneficiaryId: string) =>
  (await service.rpc.getBeneficiary({ merchantId, beneficiaryId })).beneficiary;
const stored = (id: string) =>
  service.database.db.collection<BeneficiaryDocument>("beneficiaries").findOne({ _id: id });
const instruction = (beneficiaryId: string) =>
  service.rpc.getPaymentInstruction({ merchantId, beneficiaryId });

const change = {
  beneficiaryAlias: "janie",
  beneficiaryEmail: "janie@example.com",
  referenceId: "supplier-18",
  metadata: { cost_centre: "EU-8" },
};

describe("updating a beneficiary", () => {
  it.each(["crypto", "fiat"] as const)("sets its own data: %s", async (kind) => {
    const id = await create[kind]();
    const before = await instruction(id);
    service.clock.moveMs(1_000);
    const updated = await update(id, change);
    const { metadata, ...texts } = change;
    expect(updated?.fields.value).toMatchObject(texts);
    expect(updated?.fields.value).toMatchObject({ metadata });
    expect(updated?.updatedAt && timestampDate(updated.updatedAt)).toEqual(service.clock.now());
    expect(await read(id)).toEqual(updated);
    expect(await instruction(id)).toEqual(before);
  });

  it("removes what is empty, and leaves what is not sent", async () => {
    const id = await create.fiat({ metadata: { a: "1", b: "2" } });
    const updated = await update(id, { beneficiaryAlias: "", metadata: { a: "", c: "3" } });
    expect(updated?.fields.value).toMatchObject({
      beneficiaryAlias: "",
      beneficiaryEmail: "jane.doe@example.com",
      metadata: { b: "2", c: "3" },
    });
  });

  it("leaves the screening unchanged, and starts none", async () => {
    service.compliance.party = Verdict.BLOCK;
    const id = await create.fiat();
    service.compliance.reset();
    expect(await update(id, change)).toMatchObject({ screeningStatus: ScreeningStatus.BLOCKED });
    expect(service.compliance.parties).toEqual([]);
  });

  it("stores none of it in the clear, also not for the operation", async () => {
    const id = await create.fiat();
    const operation = mutation();
    await update(id, { mutation: operation, ...change });
    const bound = await service.database.db
      .collection("operations")
      .findOne({ _id: new RegExp(operation.operationId) as never });
    const text = JSON.stringify([await stored(id), bound]);
    for (const word of ["janie", "supplier-18", "cost_centre", "EU-8"]) {
      expect(text).not.toContain(word);
    }
    const [update_] = (await stored(id))?.updates ?? [];
    expect(update_).toMatchObject({ actor: { kind: "api_key", id: "key_1" } });
  });

  it("happens once for an operation, also after a later change", async () => {
    const id = await create.fiat();
    const operation = { mutation: mutation(), beneficiaryAlias: "first" };
    await update(id, operation);
    await update(id, { beneficiaryAlias: "second" });
    expect((await update(id, operation))?.fields.value).toMatchObject({
      beneficiaryAlias: "second",
    });
    const other = update(id, { ...operation, beneficiaryAlias: "third" });
    await expect(other).rejects.toThrow("was used with other content");
    const elsewhere = update(await create.fiat(), operation);
    await expect(elsewhere).rejects.toThrow("was used with other content");
  });

  it("by 10 concurrent calls keeps every change", async () => {
    const id = await create.fiat();
    const keys = Array.from({ length: 10 }, (_each, at) => `k${at}`);
    await Promise.all(keys.map((key) => update(id, { metadata: { [key]: "v" } })));
    const fields = (await read(id))?.fields.value;
    expect(Object.keys(fields?.metadata ?? {})).toEqual(expect.arrayContaining(keys));
  });

  it("keeps the last 50 operations", async () => {
    const id = await create.fiat();
    for (let at = 0; at < 51; at++) await update(id, { beneficiaryAlias: `a${at}` });
    expect((await stored(id))?.updates).toHaveLength(50);
  });

  it("refuses a bad field, another merchant's and an unknown beneficiary", async () => {
    const inr = await create.fiat({}, {}, 1);
    const before = await stored(inr);
    expect(await refusalOf(update(inr, { beneficiaryAlias: "" }))).toEqual({
      code: "INVALID_REQUEST",
      message: "beneficiary_alias: is required",
    });
    expect(await refusalOf(update(inr))).toMatchObject({ code: "INVALID_REQUEST" });
    for (const foreign of [{ merchantId: "mer_globex" }, { beneficiaryId: "ben_none" }]) {
      expect(await refusalOf(update(inr, { ...change, ...foreign }))).toMatchObject({
        code: "RECORD_NOT_FOUND",
      });
    }
    expect(await stored(inr)).toEqual(before);
  });
});
