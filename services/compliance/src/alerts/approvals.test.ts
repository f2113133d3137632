import { create } from "@bufbuild/protobuf";
import {
  DecideAlertRequestSchema,
  Decision,
  ReopenAlertRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { reviewGuards } from "./approvals.ts";
import type { AlertStore } from "./store.ts";

const requester = { person: "ada", roles: new Set<never>(), operationId: "op" } as const;
const unchanged = { before: "", after: "" };
const listed = { name: "Quorvella Drimbaugh" };

/** The guards' reasons for one alert, whose hit has this list and score. */
function guards(score: number, list: string, state: string) {
  const hit = { list, entryUid: "1", score, ...listed };
  const alert = { state: { kind: state }, detection: { hit } };
  const read = async (id: string) => (id === "alr_1" ? { alert } : undefined);
  const alerts = { read } as unknown as Pick<AlertStore, "read">;
  return reviewGuards(alerts, { score: 0.95, lists: new Set(["ofac_sdn"]) });
}

const { FALSE_POSITIVE, TRUE_MATCH, ESCALATED } = Decision;
it.each([
  [0.949, "internal", FALSE_POSITIVE, "alr_1", []],
  [
    0.95,
    "internal",
    FALSE_POSITIVE,
    "alr_1",
    ["the request clears a hit with a score of at least 0.95"],
  ],
  [0.5, "ofac_sdn", FALSE_POSITIVE, "alr_1", ["the request clears a hit from the list ofac_sdn"]],
  [1, "ofac_sdn", FALSE_POSITIVE, "alr_1", [expect.any(String), expect.any(String)]],
  [
    0.5,
    "internal",
    TRUE_MATCH,
    "alr_1",
    ["the request blocks a party until two persons reopen the alert"],
  ],
  [0.5, "internal", TRUE_MATCH, "alr_2", []],
  [1, "ofac_sdn", ESCALATED, "alr_1", []],
  // The RPC refuses an alert that does not exist.
  [1, "ofac_sdn", FALSE_POSITIVE, "alr_2", []],
])("a hit of %f of %s decided as %i waits for another person: %s %j", async (...row) => {
  const [score, list, decision, alertId, reasons] = row;
  const { decideAlert } = guards(score, list, "open");
  const request = create(DecideAlertRequestSchema, { alertId, decision, reason: "another person" });
  expect(await decideAlert?.reasons(request, requester, unchanged)).toEqual(reasons);
  const { before = "", after = "" } = (await decideAlert?.difference(request)) ?? {};
  expect(`${before}${after}`).not.toContain(listed.name);
  expect(before).toBe(
    alertId === "alr_2"
      ? ""
      : JSON.stringify({ state: "open", hit: { list, entryUid: "1", score } }),
  );
});

it.each([
  ["true_match", ["the request reopens a match that two persons confirmed"]],
  ["false_positive", []],
  ["closed", []],
])("an alert that is %s is reopened by another person too: %j", async (state, reasons) => {
  const { reopenAlert } = guards(1, "internal", state);
  const request = create(ReopenAlertRequestSchema, { alertId: "alr_1", reason: "new evidence" });
  expect(await reopenAlert?.reasons(request, requester, unchanged)).toEqual(reasons);
});

it("grave hits are cleared by two persons in live mode, and if the settings require it", () => {
  const environment = {
    ...{ PORT: "9000", MONGODB_URI: "mongodb://h", AMQP_URL: "amqp://h", PAYOUT_URL: "https://p" },
    ...testTrust.settings("compliance"),
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
  };
  const read = (more: object) => {
    const config = readConfig({ ...environment, ...more });
    return [config.APPROVAL_CLEAR_SCORE, [...config.APPROVAL_CLEAR_LISTS]];
  };
  expect(read({ DISBURSE_MODE: "live" })).toEqual([0.95, []]);
  expect(read({ DISBURSE_MODE: "sandbox" })).toEqual([undefined, []]);
  const given = { APPROVAL_CLEAR_SCORE: "0.8", APPROVAL_CLEAR_LISTS: "un, ofac_sdn" };
  expect(read({ DISBURSE_MODE: "live", ...given })).toEqual([0.8, ["un", "ofac_sdn"]]);
});
