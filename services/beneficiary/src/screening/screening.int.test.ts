import { Code, ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { createLog } from "@disburse/chassis/log.ts";
import {
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Creator, creatorOn, merchantId } from "../test-bodies.ts";
import {
  mutation,
  startTestService,
  sweepEveryMs,
  type TestService,
  unavailable,
} from "../test-service.ts";
import { sweepOnce } from "./sweep.ts";

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

async function statusOf(beneficiaryId: string) {
  const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
  return beneficiary?.screeningStatus;
}

describe("screening", () => {
  it.each([
    [Verdict.CLEAR, ScreeningStatus.CLEARED],
    [Verdict.REVIEW, ScreeningStatus.REVIEW],
    [Verdict.BLOCK, ScreeningStatus.BLOCKED],
  ])("with verdict %i is stored before the creation returns", async (verdict, status) => {
    service.compliance.party = verdict;
    expect(await statusOf(await create.fiat())).toBe(status);
    expect(await statusOf(await create.crypto())).toBe(status);
  });

  it("sends compliance the whole party, and the wallet to monitor", async () => {
    const recordId = await create.crypto();
    expect(service.compliance.parties).toMatchObject([
      {
        recordId,
        parties: [
          {
            type: Party_Type.INDIVIDUAL,
            name: "Jane Doe",
            date: "1985-04-12",
            countries: ["US"],
            documents: [{ number: "X1234567", country: "" }],
          },
        ],
        wallets: [
          { networks: ["ETHEREUM"], address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" },
        ],
      },
    ]);
  });

  it("is retried by the sweep with backoff", async () => {
    const { compliance, clock, deps } = service;
    compliance.down = unavailable;
    const id = await create.fiat();
    const dep = await create.depositor(1, { depositor_wallet_address: "" });
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

  it("that is delayed is logged under the request that created the record", async () => {
    const { compliance, clock, deps } = service;
    compliance.down = unavailable;
    const id = await withCallContext({ requestId: "req-late" }, () => create.fiat());
    compliance.down = undefined;
    clock.moveMs(60_000);
    const lines: string[] = [];
    const log = createLog("beneficiary", "debug", { write: (line) => void lines.push(line) });
    await sweepOnce({ ...deps, log, sweepEveryMs });
    const logged = lines.map((line) => JSON.parse(line)).find((each) => each.record_id === id);
    expect(logged).toMatchObject({ msg: "record screened", request_id: "req-late", attempt: 2 });
  });

  it("that always fails does not delay other records", async () => {
    const { compliance, clock, deps } = service;
    compliance.down = unavailable;
    const ids: string[] = [];
    // More records than the sweep screens at a time.
    for (let count = 0; count < 8; count += 1) ids.push(await create.fiat());
    compliance.down = undefined;
    clock.moveMs(sweepEveryMs);
    const failsFor = ids[0];
    const picky: typeof compliance.screenParty = (request, options) =>
      request.subject?.recordId === failsFor
        ? Promise.reject(new ConnectError("bug", Code.Internal))
        : compliance.screenParty(request, options);
    await sweepOnce({ ...deps, compliance: { ...compliance, screenParty: picky }, sweepEveryMs });
    const [failed, ...others] = await Promise.all(ids.map(statusOf));
    expect(failed).toBe(ScreeningStatus.PENDING);
    expect(new Set(others)).toEqual(new Set([ScreeningStatus.CLEARED]));
  });

  it("of a pending record is retried by a repeat of its creation", async () => {
    service.compliance.down = unavailable;
    const operation = { mutation: mutation() };
    const id = await create.fiat({}, operation);
    service.compliance.down = undefined;
    expect(await create.fiat({}, operation)).toBe(id);
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
  });
});
