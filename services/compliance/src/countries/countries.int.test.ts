import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  importLines,
  mutation,
  personLine,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

it("stops a country's parties, also those that were cleared before", async () => {
  const before = await test.start();
  await importLines(before, personLine("1", "Ulvanka Drostig"));
  const subject = { merchantId: "mer_1", recordId: "ben_1" };
  const parties = [{ type: Party_Type.INDIVIDUAL, name: "Orlan Vessik", countries: ["KP"] }];
  const { screening } = await before.screenParty({ mutation: mutation(), subject, parties });
  expect(screening?.verdict).toBe(Verdict.CLEAR);
  await test.stopServices();
  const after = await test.start({ COUNTRIES_BLOCK: "IR, KP" });
  await vi.waitFor(
    async () => {
      const [latest] = (await after.listScreenings(subject)).screenings;
      expect(latest).toMatchObject({ verdict: Verdict.BLOCK, trigger: "configuration_change" });
      expect(latest?.hits).toMatchObject([{ list: "", entryUid: "country-KP" }]);
    },
    { timeout: 15_000, interval: 100 },
  );
  const { alerts } = await test.officers().listAlerts({ recordId: "ben_1" });
  expect(alerts).toMatchObject([{ partyName: "Orlan Vessik", hit: { entryUid: "country-KP" } }]);
  const bank = { bic: "ABCDIRTHXXX" };
  const other = { merchantId: "mer_1", recordId: "ben_2" };
  const { screening: ofBank } = await after.screenParty({
    mutation: mutation(),
    subject: other,
    parties: [{ type: Party_Type.INDIVIDUAL, name: "Orlan Vessik" }],
    banks: [bank],
  });
  expect(ofBank).toMatchObject({ verdict: Verdict.BLOCK, hits: [{ entryUid: "country-IR" }] });
});
