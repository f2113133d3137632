import { toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PayoutEventSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { place, startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { leaseDue } from "./leases.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  platform = await startTestPlatform();
});
afterAll(async () => {
  vi.useRealTimers();
  await platform.stop();
});
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.rails.current = platform.sandboxRail;
  accountId = await platform.fundedAccount(merchantId, "1000.00");
});

async function journal(id: string): Promise<string[]> {
  const found = await platform.history(id);
  return (found?.lines ?? []).map(({ kind, stage, version, detail, rail }) =>
    `${kind} ${kind === "step" ? `${stage} ${version}` : rail}: ${detail}`.replace(/SBX\d+/, "SBX"),
  );
}

const submitted = [
  "step queued 1: executed",
  "step submitting 1: submitting to sandbox",
  "submit sandbox: accepted",
  "step processing 1: rail reported accepted",
];

describe("the journal of a payout", () => {
  it("has every step, each call before its response, and the content", async () => {
    const id = await platform.execute(accountId, "sandbox-return-1");
    await platform.after(0);
    await platform.after(400);
    await platform.after(700);
    await platform.after(1_000);
    expect(await journal(id)).toEqual([
      ...submitted,
      "query sandbox: settled SBX",
      "step concluding 1: rail reported settled",
      "step settled 2: post applied",
      "query sandbox: returned SBX",
      "step returning 2: rail reported returned",
      "step returned 3: return applied",
    ]);
  });

  it("has the poll of a worker that was killed before the response", async () => {
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    platform.world.offsetMs += 1_000;
    const later = new Date(Date.now() + 1_000);
    const [lease] = await leaseDue(platform.payouts, later, { place, leasedMs: 8_000 }, 1);
    expect(lease?.payout.id).toBe(id);
    expect(await journal(id)).toEqual([...submitted, "query sandbox: "]);
    await platform.after(8_000);
    expect((await journal(id)).slice(4, 7)).toEqual([
      "query sandbox: ",
      "query sandbox: settled SBX",
      "step concluding 1: rail reported settled",
    ]);
  });

  it("keeps every step and the last calls of a payout that is polled for long", async () => {
    let status: RailReply["status"] = { kind: "unknown" };
    const next = async (): Promise<RailReply> => ({ status });
    platform.rails.current = testRail({ name: "sandbox", query: next });
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    for (let asked = 0; asked < 70; asked += 1) await platform.after(61_000);
    status = { kind: "settled", reference: "R" };
    await platform.after(61_000);
    const steps = (await journal(id)).filter((line) => line.startsWith("step"));
    expect(steps.map((line) => line.split(" ")[1])).toEqual([
      ...["queued", "submitting", "processing", "unknown", "concluding", "settled"],
    ]);
    const stored = await platform.payouts.findOne({ _id: id });
    expect(stored?.calls.length).toBe(60);
    expect(stored?.calls.some(({ said }) => said === "settled R")).toBe(true);
  });
});

describe("the timeline of a payout", () => {
  it("lists each change of status or sub-status, its cause and version, in pages", async () => {
    const id = await platform.execute(accountId, "sandbox-unknown-1");
    await platform.after(0);
    await platform.after(1_100);
    await platform.after(2_100);
    const asked = { merchantId, payoutId: id };
    const all = await platform.rpc.listPayoutEvents(asked);
    const shown = all.events.map((event) => {
      const { status, subStatus, cause, version } = toJson(PayoutEventSchema, event);
      const words = `${status} ${subStatus} ${cause}`.replaceAll(
        /PAYOUT_(?:SUB_STATUS|STATUS|CAUSE)_/g,
        "",
      );
      return `${words} ${version}`;
    });
    expect(shown).toEqual([
      "INITIATED QUEUED EXECUTED 1",
      "INITIATED PROCESSING SUBMITTED 1",
      "INITIATED UNKNOWN OUTCOME_UNKNOWN 1",
      "INITIATED PROCESSING ACCEPTED 1",
      "SUCCEEDED SETTLED SETTLED 2",
    ]);
    const steps = (await platform.payouts.findOne({ _id: id }))?.journal ?? [];
    expect(all.events.map(({ createdAt }) => createdAt)).toEqual(
      steps.map(({ at }) => timestampFromDate(at)),
    );
    expect([all.totalCount, all.totalCountCapped, all.nextCursor]).toEqual([5n, false, ""]);
    const paged = [];
    let cursor = "";
    do {
      const page = await platform.rpc.listPayoutEvents({ ...asked, limit: 2, cursor });
      paged.push(...page.events);
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(paged).toEqual(all.events);
  });

  it("of another merchant's payout is not found, and a wrong cursor is refused", async () => {
    const id = await platform.execute(accountId, "order");
    const foreign = platform.rpc.listPayoutEvents({ merchantId: "mer_2", payoutId: id });
    await expect(foreign).rejects.toThrow("RECORD_NOT_FOUND");
    const wrong = platform.rpc.listPayoutEvents({ merchantId, payoutId: id, cursor: "x" });
    await expect(wrong).rejects.toThrow("INVALID_REQUEST");
  });
});
