import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweepOnce } from "../screening/sweep.ts";
import { type Creator, creatorOn, merchantId, refusalOf } from "../test-bodies.ts";
import {
  mutation,
  startTestService,
  sweepEveryMs,
  type TestService,
  unavailable,
} from "../test-service.ts";
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

const archive = async (beneficiaryId: string, change: object = {}) => {
  const request = { mutation: mutation(), merchantId, beneficiaryId, ...change };
  return (await service.rpc.archiveBeneficiary(request)).beneficiary;
};
const read = async (beneficiaryId: string) =>
  (await service.rpc.getBeneficiary({ merchantId, beneficiaryId })).beneficiary;
const stored = (id: string) =>
  service.database.db.collection<BeneficiaryDocument>("beneficiaries").findOne({ _id: id });

describe("archiving", () => {
  it("returns the beneficiary, which can still be read and paid", async () => {
    const id = await create.fiat();
    const before = await read(id);
    service.clock.moveMs(1_000);
    const archived = await archive(id);
    expect(archived).toEqual({ ...before, archived: true, updatedAt: archived?.updatedAt });
    expect(archived?.updatedAt && timestampDate(archived.updatedAt)).toEqual(service.clock.now());
    expect(await read(id)).toEqual(archived);
    const paid = await service.rpc.getPaymentInstruction({ merchantId, beneficiaryId: id });
    expect(paid.accountNumber).not.toBe("");
  });

  it("refuses another beneficiary under the same operation", async () => {
    const [first, second] = [await create.fiat(), await create.fiat()];
    const operation = { mutation: mutation() };
    await archive(first, operation);
    await expect(archive(second, operation)).rejects.toThrow("was used with other content");
    expect((await read(second))?.archived).toBe(false);
  });

  it("keeps the first actor and time when repeated", async () => {
    const id = await create.fiat();
    const at = service.clock.now();
    const first = await archive(id, { mutation: mutation("op-archive") });
    service.clock.moveMs(1_000);
    expect(await archive(id, { mutation: mutation("op-archive") })).toEqual(first);
    expect(await archive(id, { mutation: mutation("op-later") })).toEqual(first);
    expect(await stored(id)).toMatchObject({
      archived: true,
      archiving: { at, operation_id: "op-archive", actor: { kind: "api_key", id: "key_1" } },
      updated_at: at,
    });
  });

  it("by 20 concurrent calls happens once", async () => {
    const id = await create.fiat();
    const { beneficiaries } = service.deps;
    const actor = { kind: "api_key", id: "key_1" } as const;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_each, at) =>
        beneficiaries.archive(
          { merchantId, id },
          { operationId: `op-race-${at}`, actor },
          new Date(at),
        ),
      ),
    );
    const [first] = responses;
    expect(first?.archived).toBe(true);
    for (const response of responses) expect(response).toEqual(first);
  });

  it("refuses another merchant's beneficiary, and doesn't change it", async () => {
    const id = await create.fiat();
    const before = await stored(id);
    for (const change of [{ merchantId: "mer_globex" }, { merchantId: "" }]) {
      expect(await refusalOf(archive(id, change))).toMatchObject({ code: "RECORD_NOT_FOUND" });
    }
    expect(await refusalOf(archive("ben_none"))).toMatchObject({ code: "RECORD_NOT_FOUND" });
    expect(await stored(id)).toEqual(before);
  });

  it("needs an operation and an actor", async () => {
    const id = await create.fiat();
    const failed = await archive(id, { mutation: undefined }).catch((error) => error);
    expect(ConnectError.from(failed).code).toBe(Code.InvalidArgument);
    expect((await read(id))?.archived).toBe(false);
  });

  it("does not end a screening that is pending", async () => {
    service.compliance.down = unavailable;
    const id = await create.fiat();
    await archive(id);
    service.compliance.down = undefined;
    service.clock.moveMs(sweepEveryMs);
    await sweepOnce({ ...service.deps, sweepEveryMs });
    expect(await read(id)).toMatchObject({
      archived: true,
      screeningStatus: ScreeningStatus.CLEARED,
    });
  });

  it("is not undone by a repeat of the creation", async () => {
    const operation = { mutation: mutation() };
    const id = await create.fiat({}, operation);
    await archive(id);
    expect(await create.fiat({}, operation)).toBe(id);
    expect((await read(id))?.archived).toBe(true);
  });
});
