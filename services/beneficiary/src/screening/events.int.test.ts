import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import {
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  type ScreeningChanged,
  ScreeningChangedSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Creator, creatorOn, merchantId } from "../test-bodies.ts";
import { startTestService, sweepEveryMs, type TestService, unavailable } from "../test-service.ts";
import { screeningOutbox, subscription } from "./events.ts";
import { sweepOnce } from "./sweep.ts";

let service: TestService;
let creator: Creator;
let lines: string[];

beforeAll(async () => {
  service = await startTestService();
  creator = creatorOn(service);
  await creator.permit(merchantId, true);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.compliance.reset();
  lines = [];
});

/** An event that blocks a record, the given time after its creation. */
function changed(
  recordId: string,
  change: Partial<Omit<ScreeningChanged, "$typeName" | "$unknown">> = {},
  afterMs = 1_000,
): BusMessage {
  const screenedAt = new Date(service.clock.now().getTime() + afterMs);
  const event = create(ScreeningChangedSchema, {
    ...{ eventId: `evt_${recordId}_${afterMs}`, subject: { merchantId, recordId } },
    ...{ verdict: Verdict.BLOCK, screeningId: `scr_${afterMs}` },
    ...{ occurredAt: timestampFromDate(screenedAt), screenedAt: timestampFromDate(screenedAt) },
    ...change,
  });
  const body = toBinary(ScreeningChangedSchema, event);
  return { id: event.eventId, key: "screening.changed", body };
}

function consume(...messages: BusMessage[]) {
  const log = createLog("beneficiary", "debug", { write: (line) => void lines.push(line) });
  return subscription({ ...service.deps, log }).handle(messages);
}

const logged = () => lines.map((line) => JSON.parse(line).msg);

async function statusOf(beneficiaryId: string) {
  const { beneficiary } = await service.rpc.getBeneficiary({ merchantId, beneficiaryId });
  const instruction = await service.rpc.getPaymentInstruction({ merchantId, beneficiaryId });
  expect(instruction.screeningStatus).toBe(beneficiary?.screeningStatus);
  return beneficiary?.screeningStatus;
}

describe("a change of a screening", () => {
  it.each([
    [Verdict.REVIEW, ScreeningStatus.REVIEW],
    [Verdict.BLOCK, ScreeningStatus.BLOCKED],
  ])("to %i blocks a beneficiary, and one to clear unblocks it", async (verdict, status) => {
    const id = await creator.fiat();
    expect(await consume(changed(id, { verdict }))).toEqual(["stored"]);
    expect(await statusOf(id)).toBe(status);
    await consume(changed(id, { verdict: Verdict.CLEAR }, 2_000));
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
    expect(logged()).toEqual([
      "screening status of a record changed",
      "screening status of a record changed",
    ]);
  });

  it("of a depositor changes its status", async () => {
    const depositorId = await creator.depositor(1, { depositor_wallet_address: "" });
    await consume(changed(depositorId));
    const { depositor } = await service.rpc.getDepositor({ merchantId, depositorId });
    expect(depositor?.status).toBe(DepositorStatus.REJECTED);
  });

  it("of an archived beneficiary counts as well: its quotes still execute", async () => {
    const beneficiaryId = await creator.fiat();
    const actor = { kind: "api_key", id: "key_1" } as const;
    const own = { merchantId, id: beneficiaryId };
    await service.deps.beneficiaries.archive(
      own,
      { operationId: "op", actor },
      service.clock.now(),
    );
    await consume(changed(beneficiaryId));
    expect(await statusOf(beneficiaryId)).toBe(ScreeningStatus.BLOCKED);
  });

  it("settles a record whose screening never succeeded", async () => {
    service.compliance.down = unavailable;
    const id = await creator.fiat();
    await consume(changed(id, { verdict: Verdict.REVIEW }));
    expect(await statusOf(id)).toBe(ScreeningStatus.REVIEW);
    service.compliance.reset();
    service.clock.moveMs(sweepEveryMs);
    await sweepOnce({ ...service.deps, sweepEveryMs });
    expect(service.compliance.parties.filter(({ recordId }) => recordId === id)).toEqual([]);
  });

  it("counts once and by its time, regardless of repeats and order", async () => {
    const id = await creator.fiat();
    const verdicts = [Verdict.BLOCK, Verdict.CLEAR, Verdict.REVIEW];
    const events = verdicts.map((verdict, at) => changed(id, { verdict }, (at + 1) * 1_000));
    const shuffled = [2, 0, 1, 0, 2, 1, 1, 0].flatMap((at) => events[at] ?? []);
    expect(new Set(await consume(...shuffled))).toEqual(new Set(["stored"]));
    for (const event of shuffled) await consume(event);
    expect(await statusOf(id)).toBe(ScreeningStatus.REVIEW);
    expect(logged()).toContain("screening event ignored: a result at least as new is stored");
  });

  it("that is older than the record's own screening changes nothing", async () => {
    const id = await creator.fiat();
    await consume(changed(id, {}, -1_000));
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
  });

  it.each(["ben_none", "dep_none", "acc_none"])("of %s is dropped and logged", async (recordId) => {
    expect(await consume(changed(recordId))).toEqual(["stored"]);
    expect(logged()).toEqual(["screening event ignored: its record does not exist"]);
  });

  it("that names another merchant changes nothing", async () => {
    const id = await creator.fiat();
    await consume(changed(id, { subject: { merchantId: "mer_globex", recordId: id } as never }));
    expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
    expect(logged()).toEqual(["screening event ignored: its record does not exist"]);
  });
});

it.each([
  ["is not of the contract", () => new TextEncoder().encode("not protobuf")],
  ["is empty", () => new Uint8Array()],
  ["has no verdict", () => changed("ben_1", { verdict: Verdict.UNSPECIFIED }).body],
  ["has no time", () => changed("ben_1", { screenedAt: undefined as never }).body],
  ["has no screening", () => changed("ben_1", { screeningId: "" }).body],
  ["has no subject", () => changed("ben_1", { subject: undefined as never }).body],
])("a message that %s is dead-lettered and blocks no other", async (_what, body) => {
  const id = await creator.fiat();
  const bad = { id: "evt_bad", key: "screening.changed", body: body() };
  expect(await consume(bad, changed(id))).toEqual(["dead", "stored"]);
  expect(await statusOf(id)).toBe(ScreeningStatus.BLOCKED);
  expect(logged()).toContain("message sent to the dead-letter queue: it could not be read");
});

it("stays on the bus while it cannot be stored", async () => {
  const id = await creator.fiat();
  const away = () => Promise.reject(new Error("database away"));
  const beneficiaries = { ...service.deps.beneficiaries, writeScreening: away };
  await expect(
    subscription({ ...service.deps, beneficiaries }).handle([changed(id)]),
  ).rejects.toThrow();
  expect(await statusOf(id)).toBe(ScreeningStatus.CLEARED);
});

describe("a merchant is notified", () => {
  const outbox = () => screeningOutbox(service.database.db);
  const due = async () =>
    (await outbox().due(100)).map(({ body, ...message }) => ({
      ...message,
      event: fromBinary(OptInEventSchema, body),
    }));
  const published = async () =>
    (await due()).map(({ event }) => {
      const { previous_status, status } = JSON.parse(event.dataJson);
      return `${event.sequence} ${previous_status} ${status}`;
    });
  beforeEach(async () => outbox().published(await outbox().due(100)));

  it("of each change of a beneficiary's status once, numbered without gaps", async () => {
    const id = await creator.fiat();
    expect(await due()).toEqual([]);
    await consume(changed(id), changed(id));
    await consume(changed(id, { verdict: Verdict.BLOCK, screeningId: "scr_x" }, 2_000));
    await consume(changed(id, { verdict: Verdict.CLEAR }, 3_000));
    expect(await published()).toEqual(["1 cleared blocked", "2 blocked cleared"]);
    const [first, second] = await due();
    expect(first).toMatchObject({
      ...{ id: `evt_${id.slice(4)}_1`, key: "opt_in.screening_changed" },
      event: {
        ...{ eventId: `evt_${id.slice(4)}_1`, merchantId, transactionId: id, status: "blocked" },
        transactionType: "beneficiary.screening_changed",
      },
    });
    expect(JSON.parse(first?.event.dataJson ?? "")).toEqual({
      ...{ id, status: "blocked", previous_status: "cleared", merchant_id: merchantId },
      changed_at: service.clock.now().toISOString(),
      created_by: { id: "key_1", type: "api_key", name: "" },
    });
    await outbox().published([{ ...first!, body: new Uint8Array() }]);
    expect(await published()).toEqual(["2 blocked cleared"]);
    await outbox().published([{ ...second!, body: new Uint8Array() }]);
    expect(await published()).toEqual([]);
    await consume(changed(id, {}, 4_000));
    expect(await published()).toEqual(["3 cleared blocked"]);
  });

  it("of a result that arrived after its creation returned", async () => {
    service.compliance.down = unavailable;
    await creator.fiat();
    service.compliance.reset();
    service.clock.moveMs(60_000);
    await sweepOnce({ ...service.deps, sweepEveryMs });
    expect(await published()).toEqual(["1 pending cleared"]);
  });

  it("of no depositor", async () => {
    const id = await creator.depositor(1, { depositor_wallet_address: "" });
    await consume(changed(id));
    expect(await published()).toEqual([]);
  });
});
