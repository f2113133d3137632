import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { type SeparatePlatform, startSeparatePlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bankBody, paths } from "./bodies.ts";

let platform: SeparatePlatform;
let call: ReturnType<typeof merchantOf>["call"];
const heard: string[] = [];
beforeAll(async () => {
  platform = await startSeparatePlatform({});
  const merchant = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  call = async (...asked) => {
    const answer = await merchant.call(...asked);
    heard.push(answer.text);
    return answer;
  };
});
afterAll(() => platform?.stop());

const as = (id: string) => ({
  mutation: {
    operationId: crypto.randomUUID(),
    actor: { kind: Actor_Kind.OPERATOR, id },
  },
});
const reason = "the passport in the file is another person's";

/** A beneficiary with the name of somebody on the sandbox's list. */
async function namesake(): Promise<string> {
  const { name = "" } = listedParties.find(({ type }) => type === "Individual") ?? {};
  const [first, ...others] = name.split(" ");
  const names = { beneficiary_first_name: first, beneficiary_last_name: others.join(" ") };
  const { status, json, text } = await call("POST", paths.fiat, { ...bankBody(), ...names });
  expect(status, text).toBe(200);
  return json.data.beneficiary_id;
}

const statusOf = async (id: string): Promise<string> =>
  (await call("GET", `${paths.beneficiaries}/${id}`)).json.data.screening_status;
const becomes = (id: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 5_000 });

it("an officer follows a case from the alert to the decision", async () => {
  const { review } = platform.clients;
  const recordId = await namesake();
  const before = await statusOf(recordId);
  expect(before).toMatch(/^(review|blocked)$/);

  const { alerts } = await review.listAlerts({ recordId });
  const [alertId = ""] = alerts.map(({ id }) => id);
  expect(alerts).toHaveLength(1);
  const shown = await review.getAlert({ alertId });
  expect(shown.screening?.parties).toHaveLength(1);
  expect(shown.alert?.hit?.reasons.length).toBeGreaterThan(0);
  await review.assignAlert({ ...as("ada"), alertId, assignee: "ada" });
  const decision = Decision.FALSE_POSITIVE;
  await review.decideAlert({ ...as("ada"), alertId, decision, reason });
  await becomes(recordId, "cleared");

  await review.reopenAlert({ ...as("eve"), alertId, reason: "a second document came in" });
  await becomes(recordId, before);
  await review.decideAlert({ ...as("ada"), alertId, decision: Decision.TRUE_MATCH, reason });
  const { alert } = await review.confirmTrueMatch({ ...as("bob"), alertId });
  expect(alert?.state).toBe(AlertState.TRUE_MATCH);
  await becomes(recordId, "blocked");

  const { entries } = await review.getAlert({ alertId });
  expect(entries.map(({ actor, action }) => `${actor?.id} ${action}`)).toEqual([
    "ada alert.assigned",
    "ada alert.false_positive",
    "eve alert.reopened",
    "ada alert.proposed",
    "bob alert.confirmed",
  ]);
  const secrets = [alertId, shown.alert?.hit?.entryUid ?? alertId, reason, shown.screening?.id];
  for (const secret of secrets) expect(heard.join("\n")).not.toContain(secret);
});
