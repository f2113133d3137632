import type { ScreeningChanged } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  importFiles,
  type ReviewRpc,
  type Rpc,
  refusalOf,
  screenName,
  subject,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import { officer } from "../test-review.ts";

let compliance: TestCompliance;
let processes: { readonly rpc: Rpc; readonly officers: ReviewRpc }[];
beforeAll(async () => {
  compliance = await testCompliance();
  processes = [];
  for (let started = 0; started < 2; started += 1) {
    processes.push({ rpc: await compliance.start(), officers: compliance.officers() });
  }
});
afterAll(() => compliance.end());

const reason = "another person, seen in both passports";
const name = "Orlan Vessikar";
const line = (uid: string, named: string) =>
  `${JSON.stringify({ uid, type: "individual", names: [{ name: named }] })}\n`;
const other = line("1", "Pirmolan Gevaskutir");
const namesake = line("7", name);

let version = 0;
const list = async (rpc: Rpc, lines: string) => {
  version += 1;
  const header = { version: String(version), acceptDropReason: "a list of a few for a test" };
  await importFiles(rpc, header, { "": lines });
};

it("concurrent decisions, screenings and imports end with the right verdict, published", async () => {
  const [one, two] = processes;
  if (one === undefined || two === undefined) throw new Error("two processes were started");
  await list(one.rpc, other + namesake);
  await vi.waitFor(
    async () => {
      for (const { rpc } of processes) {
        expect((await screenName(rpc, name))?.hits).toHaveLength(1);
      }
    },
    { timeout: 10_000 },
  );
  const { recordId } = subject;
  const states = [AlertState.OPEN, AlertState.FALSE_POSITIVE, AlertState.CLOSED];
  const alert = async () => (await one.officers.listAlerts({ recordId, states })).alerts[0];
  const alertId = (await alert())?.id ?? "";
  expect(alertId).not.toBe("");
  const decision = { alertId, decision: Decision.FALSE_POSITIVE, reason };
  for (let round = 0; round < 4; round += 1) {
    const isListed = round % 2 === 1;
    // Some of these are refused, because the alert may already be closed or decided.
    const all = [
      refusalOf(one.officers.decideAlert({ ...officer("ada"), ...decision })),
      refusalOf(two.officers.reopenAlert({ ...officer("bob"), alertId, reason })),
      screenName(two.rpc, name),
      list(one.rpc, isListed ? other + namesake : other),
      refusalOf(two.officers.decideAlert({ ...officer("eve"), ...decision })),
    ];
    await Promise.all(all);
  }
  await vi.waitFor(
    async () => {
      const now = await alert();
      expect(now?.state).toBeOneOf([AlertState.OPEN, AlertState.FALSE_POSITIVE]);
      const expected = now?.state === AlertState.FALSE_POSITIVE ? Verdict.CLEAR : Verdict.BLOCK;
      const { screenings } = await one.rpc.listScreenings({ recordId, limit: 100 });
      const [last] = screenings;
      expect(last?.verdict).toBe(expected);
      expect(last?.hits).toMatchObject([{ alertId, dismissed: expected === Verdict.CLEAR }]);
      // The caller receives this result in its response, so no event repeats it.
      const different = screenings.findIndex(({ verdict }) => verdict !== expected);
      const changed = screenings.at(different === -1 ? -1 : different - 1);
      if (changed?.trigger !== "request") expect(lastPublished()).toBe(expected);
      expect(await unfinished()).toBe(0);
    },
    { timeout: 15_000, interval: 200 },
  );
  const { entries } = await one.officers.listReviewEntries({ limit: 100 });
  expect(entries.length).toBeGreaterThan(0);
});

/** The unfinished steps of decisions. */
const unfinished = () =>
  compliance.database.db.collection("alerts").countDocuments({
    $or: [{ "pending_audit.0": { $exists: true } }, { verdict_due: { $gt: 0 } }],
  });

/** The verdict of the event with the latest comparison. */
function lastPublished(): Verdict | undefined {
  const at = ({ screenedAt }: ScreeningChanged) =>
    Number(screenedAt?.seconds) * 1_000 + Number(screenedAt?.nanos) / 1_000_000;
  return compliance.events.toSorted((a, b) => at(b) - at(a))[0]?.verdict;
}
