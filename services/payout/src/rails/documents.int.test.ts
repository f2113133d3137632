import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { changesOf } from "@disburse/testkit/document-text.ts";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { leasesOf, startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import type { RailWorkerDeps } from "./steps.ts";
import { workOnDuePayout } from "./worker.ts";

/** Each write of a payout's worker, complete: no unexpected field changes. */

const start = new Date("2026-03-01T10:00:00Z");
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount("mer_1", "1000.00");
});
afterAll(async () => {
  vi.useRealTimers();
  await platform.stop();
});
beforeEach(async () => {
  vi.setSystemTime(start);
  await platform.payouts.deleteMany({});
  platform.world.screening = ScreeningStatus.CLEARED;
});

const time = (at: Date) => `${(at.getTime() - start.getTime()) / 1_000} s`;

/** Does the due work, and lists the changes of each write to the payout. */
async function worked(id: string, change: Partial<RailWorkerDeps> = {}): Promise<string[]> {
  const { payouts } = platform;
  const read = () => payouts.findOne({ _id: id });
  const written: string[] = [`at ${time(new Date())}`];
  let before = await read();
  const show = async <T>(result: T): Promise<T> => {
    const after = await read();
    const lines = changesOf(before, after, time);
    written.push(...lines.map((line, at) => `${at === 0 ? "-" : " "} ${line}`));
    before = after;
    return result;
  };
  const watched: typeof payouts = Object.assign(Object.create(payouts), {
    updateOne: async (...given: Parameters<typeof payouts.updateOne>) =>
      show(await payouts.updateOne(...given)),
  });
  const leases = leasesOf(watched, { now: () => new Date() });
  while (await workOnDuePayout({ ...platform.parts, payouts: watched, leases, ...change }));
  return written.map((line) =>
    line.replaceAll(id.slice("po_".length), "1").replace(/token \w+(?:-\w+)+/, "token 1"),
  );
}

/** Lists the changes of a call to the payout, and its result. */
async function changed(id: string, call: Promise<unknown>): Promise<string> {
  const before = await platform.payouts.findOne({ _id: id });
  const end = await call.then(String, (error: unknown) => readRefusal(error)?.message);
  const after = await platform.payouts.findOne({ _id: id });
  const lines = changesOf(before, after, time).map((line) => `  ${line}`);
  return [`- ${end}`, ...lines].join("\n").replaceAll(id.slice("po_".length), "1");
}

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/**
 * Creates a rail with these responses, a second apart, that asks for a poll after three seconds.
 */
function railAnswering(...answers: RailReply["status"][]) {
  const next = async (): Promise<RailReply> => {
    pass(1_000);
    const status = answers.shift();
    if (status === undefined) throw new Error("cut");
    return { status, pollAfterMs: 3_000 };
  };
  return testRail({ submit: next, query: next });
}

it("is paid after its rail did not know, and then returned", async () => {
  platform.rails.current = railAnswering(
    { kind: "accepted" },
    { kind: "unknown" },
    { kind: "settled", reference: "R-1" },
    { kind: "returned" },
  );
  const id = await platform.execute(accountId, "order");
  const written: string[] = [];
  for (let poll = 0; poll < 4; poll += 1) {
    written.push(...(await worked(id)));
    pass(3_000);
  }
  expect(written.join("\n")).toMatchInlineSnapshot(`
    "at 0 s
    - calls + { kind leased, at 0 s }
      lease = { token 1, until 8 s, place first:8080 }
      revision = 2
    - calls + { kind submit, at 0 s }
      journal + { stage submitting, version 1, at 0 s, cause submitted, detail submitting to scripted }
      progress = { stage submitting }
      rail = scripted
      revision = 3
      submitted_at = 0 s
    - calls + { kind answer, at 1 s, said accepted }
      journal + { stage processing, version 1, at 1 s, cause accepted, detail rail reported accepted }
      no lease
      progress = { stage processing }
      revision = 4
      updated_at = 1 s
      work_due_at = 4 s
    at 4 s
    - calls + { kind leased, at 4 s }
      lease = { token 1, until 12 s, place first:8080 }
      revision = 5
    - calls + { kind answer, at 5 s, said unknown }
      exception = { kind unknown, since 5 s }
      journal + { stage unknown, version 1, at 5 s, cause outcome_unknown, detail rail reported unknown }
      no lease
      progress = { stage unknown, asked 1 }
      revision = 6
      updated_at = 5 s
      work_due_at = 8 s
    at 8 s
    - calls + { kind leased, at 8 s }
      lease = { token 1, until 16 s, place first:8080 }
      revision = 7
    - calls + { kind answer, at 9 s, said settled R-1 }
      no exception
      journal + { stage concluding, version 1, at 9 s, cause settled, detail rail reported settled }
      lease = { token 1, until 17 s, place first:8080 }
      progress = { stage concluding, outcome { kind settled, reference R-1 } }
      revision = 8
      updated_at = 9 s
    - journal + { stage settled, version 2, at 9 s, cause settled, detail post applied }
      no lease
      outbox + { id evt_1_2, key payout.succeeded, at 9 s, body … }
      progress = { stage settled, reference R-1 }
      revision = 9
      status = succeeded
      version = 2
      work_due_at = 12 s
    at 12 s
    - calls + { kind leased, at 12 s }
      lease = { token 1, until 20 s, place first:8080 }
      revision = 10
    - calls + { kind answer, at 13 s, said returned }
      journal + { stage returning, version 2, at 13 s, cause returned, detail rail reported returned }
      lease = { token 1, until 21 s, place first:8080 }
      progress = { stage returning, reference R-1 }
      revision = 11
      updated_at = 13 s
    - journal + { stage returned, version 3, at 13 s, cause returned, detail return applied }
      no lease
      outbox + { id evt_1_3, key payout.failed, at 13 s, body … }
      progress = { stage returned, reference R-1 }
      revision = 12
      status = failed
      version = 3
      no work_due_at"
  `);
});

it("waits for its beneficiary, is lost by its rail, sent again and rejected", async () => {
  platform.rails.current = railAnswering(
    { kind: "not_received" },
    { kind: "not_received" },
    { kind: "rejected" },
  );
  const id = await platform.execute(accountId, "order");
  platform.world.screening = ScreeningStatus.BLOCKED;
  const written = [...(await worked(id))];
  pass(30_000);
  written.push(...(await worked(id)));
  platform.world.screening = ScreeningStatus.CLEARED;
  for (let poll = 0; poll < 2; poll += 1) {
    pass(30_000);
    written.push(...(await worked(id)));
  }
  expect(written.join("\n")).toMatchInlineSnapshot(`
    "at 0 s
    - calls + { kind leased, at 0 s }
      lease = { token 1, until 8 s, place first:8080 }
      revision = 2
    - exception = { kind stuck, since 0 s }
      journal + { stage queued, version 1, at 0 s, cause uncleared, detail not sent: the screening status of the beneficiary is blocked }
      revision = 3
      uncleared = { status blocked, since 0 s }
    - no lease
      work_due_at = 2 s
    at 30 s
    - calls + { kind leased, at 30 s }
      lease = { token 1, until 38 s, place first:8080 }
      revision = 4
    - no lease
      work_due_at = 33.75 s
    at 60 s
    - calls + { kind leased, at 60 s }
      lease = { token 1, until 68 s, place first:8080 }
      revision = 5
    - calls + { kind submit, at 60 s }
      no exception
      journal + { stage submitting, version 1, at 60 s, cause submitted, detail submitting to scripted }
      progress = { stage submitting }
      rail = scripted
      revision = 6
      submitted_at = 60 s
      no uncleared
      updated_at = 60 s
    - calls + { kind answer, at 61 s, said not_received }
      no lease
      work_due_at = 64 s
    at 91 s
    - calls + { kind leased, at 91 s }
      lease = { token 1, until 99 s, place first:8080 }
      revision = 7
    - calls + { kind answer, at 92 s, said not_received }, { kind submit, at 92 s }
      lease = { token 1, until 100 s, place first:8080 }
      revision = 8
      updated_at = 92 s
    - calls + { kind answer, at 93 s, said rejected }
      journal + { stage concluding, version 1, at 93 s, cause rejected, detail rail reported rejected }
      lease = { token 1, until 101 s, place first:8080 }
      progress = { stage concluding, outcome { kind rejected } }
      revision = 9
      updated_at = 93 s
    - journal + { stage rejected, version 2, at 93 s, cause rejected, detail release applied }
      no lease
      outbox + { id evt_1_2, key payout.failed, at 93 s, body … }
      progress = { stage rejected }
      revision = 10
      status = failed
      version = 2
      work_due_at = 96 s"
  `);
});

it("waits for a rail, which does not answer, then has it for a day", async () => {
  platform.rails.current = undefined;
  const id = await platform.execute(accountId, "order");
  const written = [...(await worked(id))];
  platform.rails.current = railAnswering();
  pass(3_000);
  written.push(...(await worked(id)));
  const query = async (): Promise<RailReply> => ({ status: { kind: "accepted" } });
  platform.rails.current = testRail({ query });
  for (const ms of [3_000, 3_000, 86_400_000]) {
    pass(ms);
    written.push(...(await worked(id)));
  }
  expect(written.join("\n")).toMatchInlineSnapshot(`
    "at 0 s
    - calls + { kind leased, at 0 s }
      lease = { token 1, until 8 s, place first:8080 }
      revision = 2
    - no lease
      work_due_at = 2 s
    at 3 s
    - calls + { kind leased, at 3 s }
      lease = { token 1, until 11 s, place first:8080 }
      revision = 3
    - calls + { kind submit, at 3 s }
      journal + { stage submitting, version 1, at 3 s, cause submitted, detail submitting to scripted }
      progress = { stage submitting }
      rail = scripted
      revision = 4
      submitted_at = 3 s
      updated_at = 3 s
    - calls + { kind answer, at 4 s, said no answer }
      exception = { kind unknown, since 4 s }
      journal + { stage unknown, version 1, at 4 s, cause outcome_unknown, detail rail reported unknown }
      no lease
      progress = { stage unknown, asked 1 }
      revision = 5
      updated_at = 4 s
      work_due_at = 6 s
    at 7 s
    - calls + { kind leased, at 7 s }
      lease = { token 1, until 15 s, place first:8080 }
      revision = 6
    - calls + { kind answer, at 7 s, said accepted }
      no exception
      journal + { stage processing, version 1, at 7 s, cause accepted, detail rail reported accepted }
      no lease
      progress = { stage processing }
      revision = 7
      updated_at = 7 s
      work_due_at = 9 s
    at 10 s
    - calls + { kind leased, at 10 s }
      lease = { token 1, until 18 s, place first:8080 }
      revision = 8
    - calls + { kind answer, at 10 s, said accepted }
      no lease
      work_due_at = 70 s
    at 86410 s
    - calls + { kind leased, at 86410 s }
      lease = { token 1, until 86418 s, place first:8080 }
      revision = 9
    - exception = { kind stuck, since 86410 s }
      revision = 10
    - calls + { kind answer, at 86410 s, said accepted }
      no lease
      work_due_at = 86470 s"
  `);
});

it("is lost by its rail: first its beneficiary is blocked, then the rail is away", async () => {
  const lost = { kind: "not_received" } as const;
  const rail = railAnswering(lost, lost, lost);
  platform.rails.current = rail;
  const id = await platform.execute(accountId, "order");
  await worked(id);
  const written: string[] = [];
  platform.world.screening = ScreeningStatus.BLOCKED;
  pass(3_000);
  written.push(...(await worked(id)));
  platform.world.screening = ScreeningStatus.CLEARED;
  pass(30_000);
  const rails = { ...platform.parts.rails, named: () => rail, unavailability: async () => "DOWN" };
  written.push(...(await worked(id, { rails: rails as RailWorkerDeps["rails"] })));
  expect(written.join("\n")).toMatchInlineSnapshot(`
    "at 4 s
    - calls + { kind leased, at 4 s }
      lease = { token 1, until 12 s, place first:8080 }
      revision = 4
    - exception = { kind stuck, since 5 s }
      journal + { stage submitting, version 1, at 5 s, cause uncleared, detail not sent: the screening status of the beneficiary is blocked }
      revision = 5
      uncleared = { status blocked, since 5 s }
    - calls + { kind answer, at 5 s, said not_received }
      no lease
      work_due_at = 7 s
    at 35 s
    - calls + { kind leased, at 35 s }
      lease = { token 1, until 43 s, place first:8080 }
      revision = 6
    - calls + { kind answer, at 36 s, said not_received }
      no lease
      work_due_at = 40.5 s"
  `);
});

it("is paid, then its rail does not know it for days, and contradicts itself", async () => {
  const [known, unknown] = [{ kind: "settled", reference: "R-1" }, { kind: "unknown" }] as const;
  platform.rails.current = railAnswering(known, unknown, unknown, { kind: "rejected" });
  const id = await platform.execute(accountId, "order");
  await worked(id);
  const written: string[] = [];
  for (const ms of [4_000, 86_400_000, 86_400_000]) {
    pass(ms);
    written.push(...(await worked(id)));
  }
  expect(written.join("\n")).toMatchInlineSnapshot(`
    "at 5 s
    - calls + { kind leased, at 5 s }
      lease = { token 1, until 13 s, place first:8080 }
      revision = 6
    - calls + { kind answer, at 6 s, said unknown }
      no lease
      work_due_at = 9 s
    at 86406 s
    - calls + { kind leased, at 86406 s }
      lease = { token 1, until 86414 s, place first:8080 }
      revision = 7
    - calls + { kind answer, at 86407 s, said unknown }
      no lease
      work_due_at = 108008.5 s
    at 172807 s
    - calls + { kind leased, at 172807 s }
      lease = { token 1, until 172815 s, place first:8080 }
      revision = 8
    - exception = { kind contradicted, since 172808 s }
      revision = 9
    - calls + { kind answer, at 172808 s, said rejected }
      no lease
      no work_due_at"
  `);
});

it("is polled with growing pauses while its rail does not know it", async () => {
  const unknown = { kind: "unknown" } as const;
  platform.rails.current = railAnswering(unknown, unknown, unknown, unknown, unknown, unknown);
  const id = await platform.execute(accountId, "order");
  const pauses: unknown[] = [];
  for (let poll = 0; poll < 6; poll += 1) {
    await worked(id);
    const { work_due_at } = (await platform.payouts.findOne({ _id: id }))!;
    pauses.push(((work_due_at?.getTime() ?? 0) - Date.now()) / 1_000);
    vi.setSystemTime(work_due_at ?? 0);
  }
  expect(pauses).toEqual([3, 6, 12, 24, 48, 60]);
});

it("is reported by its rail: believed once, a contradiction never", async () => {
  platform.rails.current = railAnswering({ kind: "accepted" });
  const id = await platform.execute(accountId, "order");
  await worked(id);
  const said: string[] = [];
  const settled = { outcome: RailOutcome.SETTLED, transactionReference: "R-1" };
  for (const change of [
    { amount: "9.99" },
    { currencyCode: "INR" },
    { amount: "10.00", currencyCode: "USD" },
    {},
    { outcome: RailOutcome.REJECTED },
  ]) {
    platform.isWoken();
    const mutation = { ...platform.operation(), operationId: `op-${said.length + 1}` };
    const report = { mutation, payoutId: id, ...settled, ...change };
    const reported = platform.rpc.reportRailOutcome(report).then(({ payout }) => payout?.id);
    said.push(await changed(id, reported));
    said.push(`  wakes: ${Number(platform.isWoken())}`);
  }
  expect(said.join("\n")).toMatchInlineSnapshot(`
    "- amount: differs from the submitted amount
      calls + { kind callback, at 1 s, said settled R-1, 9.99; refused: amount: differs from the submitted amount, actor { kind service, id test }, operation_id op-1 }
      exception = { kind contradicted, since 1 s }
      revision = 5
      wakes: 0
    - currency_code: is INR, but USD was submitted
      calls + { kind callback, at 1 s, said settled R-1, INR; refused: currency_code: is INR, but USD was submitted, actor { kind service, id test }, operation_id op-3 }
      revision = 6
      wakes: 0
    - po_1
      calls + { kind callback, at 1 s, said settled R-1, 10.00 USD; believed, actor { kind service, id test }, operation_id op-5 }
      journal + { stage concluding, version 1, at 1 s, cause settled, detail rail reported settled, actor { kind service, id test }, operation_id op-5 }
      progress = { stage concluding, outcome { kind settled, reference R-1 } }
      revision = 7
      work_due_at = 1 s
      wakes: 1
    - po_1
      calls + { kind callback, at 1 s, said settled R-1; already known, actor { kind service, id test }, operation_id op-7 }
      wakes: 0
    - outcome: rejected contradicts the payout's sub-status processing
      calls + { kind callback, at 1 s, said rejected; refused: outcome: rejected contradicts the payout's sub-status processing, actor { kind service, id test }, operation_id op-9 }
      revision = 8
      wakes: 0"
  `);
});
