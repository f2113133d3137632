import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { ExceptionKind } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { approvers } from "./second-person.ts";

let platform: TestPlatform;
let receiver: Receiver;
let heard: string[];
let call: ReturnType<typeof merchantOf>["call"];

beforeAll(async () => {
  platform = await startTestPlatform({
    ...{ SANDBOX_SETTLE_MS: "200", LISTS_POLL_MS: "200", LOG_LEVEL: "debug" },
  });
  receiver = await startReceiver();
  heard = [];
  const merchant = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  call = async (...request) => {
    const answer = await merchant.call(...request);
    heard.push(answer.text);
    return answer;
  };
  await data("POST", paths.endpoints, { url: receiver.url });
  const eventTypes = ["beneficiary.screening_changed"];
  await data("POST", paths.endpoints, { url: `${receiver.url}/chosen`, event_types: eventTypes });
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
});

async function data(method: string, path: string, body?: object) {
  const { status, json, text } = await call(method, path, body);
  expect(status, text).toBe(200);
  return json.data;
}

const operation = () => ({ operationId: crypto.randomUUID() });

const name = { first: "Wexlorim", last: "Tandrovask" };
const wallet = "0x7c1f0a94e3b25d68c07b1e5f92a34d80b6e7c519";
const named = [
  {
    ...{ uid: "wl-4471", type: "individual", programs: ["ORCHARD-9"] },
    names: [{ name: `${name.first} ${name.last}`, kind: "primary" }],
  },
  {
    ...{ uid: "wl-4472", type: "entity", programs: ["ORCHARD-9"] },
    names: [{ name: "Halbrucke Ondovar Foundation", kind: "primary" }],
    crypto: [{ currency: "ETH", address: wallet }],
  },
];
const other = {
  ...{ uid: "wl-1", type: "individual", programs: ["ORCHARD-9"] },
  names: [{ name: "Pirmolan Gevaskutir", kind: "primary" }],
};
/** The merchant must not learn a hit's list, entries, names or programmes. */
const ofTheHit = ["watch_list", "wl-447", "ORCHARD", "Halbrucke"];

/** Activates an operator's list and keeps the sandbox's list. A second person confirms removals. */
async function importList(version: string, entries: readonly object[]): Promise<void> {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const header = {
    ...{ mutation: operation(), list: "watch_list", version },
    acceptDropReason: "the entries were taken back by the publisher",
  };
  async function* parts() {
    yield { part: { case: "header" as const, value: header } };
    yield { part: { case: "lines" as const, value: new TextEncoder().encode(text) } };
    yield { part: { case: "end" as const, value: true } };
  }
  await platform.clients.compliance.importList(parts());
  const compliance = approvers(platform, "compliance");
  await compliance.approveOpen("checker").finally(compliance.close);
}

const statusOf = async (beneficiaryId: string): Promise<string> =>
  (await data("GET", `${paths.beneficiaries}/${beneficiaryId}`)).screening_status;
const depositorStatus = async (depositorId: string): Promise<string> =>
  (await data("GET", `${paths.depositor}/${depositorId}`)).status;
const pauseRail = (paused: boolean) =>
  platform.clients.operations.setRailPaused({
    mutation: operation(),
    ...{ rail: "sandbox", paused, reason: "a bank holiday" },
  });

it("stops what is under way to whom a new list names, and lets it go when he is off it", async () => {
  await importList("1", [other]);
  const body = {
    ...bankBody(),
    ...{ beneficiary_first_name: name.first, beneficiary_last_name: name.last },
  };
  const { beneficiary_id } = await data("POST", paths.fiat, body);
  const business = { ...depositorBody("self_business"), depositor_wallet_address: wallet };
  const { id: depositorId } = await data("POST", paths.depositor, business);
  expect(await statusOf(beneficiary_id)).toBe("cleared");
  expect(await depositorStatus(depositorId)).toBe("whitelisted");
  const request = {
    ...{ source_amount: "12.30", beneficiary_id, account_id: platform.accountId("acme", "USD") },
    ...{ source_currency_code: "USD", destination_currency_code: "USD" },
  };
  const [first, second] = [
    await data("POST", paths.rfq, request),
    await data("POST", paths.rfq, request),
  ];
  await pauseRail(true);
  const { id: payoutId } = await data("POST", paths.execute, { quote_id: first.id });
  const payout = () => data("GET", `${paths.payouts}/${payoutId}`);
  const before = await payout();
  expect(before).toMatchObject({ status: "initiated", sub_status: "queued" });

  await importList("2", [other, ...named]);
  await vi.waitFor(
    async () => {
      expect(await statusOf(beneficiary_id)).toMatch(/^(review|blocked)$/);
      expect(await depositorStatus(depositorId)).toMatch(/^(review|rejected)$/);
    },
    { timeout: 10_000, interval: 100 },
  );
  const refusals = [
    await call("POST", paths.rfq, request),
    await call("POST", paths.execute, { quote_id: second.id }),
  ];
  for (const { status, json } of refusals) {
    const message = "You are not authorized to access this record.";
    const reason = "beneficiary_not_cleared";
    expect([status, json]).toEqual([403, { code: "ACCESS_FORBIDDEN", message, reason }]);
  }

  await pauseRail(false);
  await vi.waitFor(async () => expect(await journal(payoutId)).toContain("not sent"), {
    timeout: 15_000,
    interval: 100,
  });
  expect(await journal(payoutId)).not.toContain("submitting");
  expect(await payout()).toEqual(before);

  await importList("3", [other]);
  await vi.waitFor(async () => expect(await statusOf(beneficiary_id)).toBe("cleared"), {
    timeout: 10_000,
    interval: 100,
  });
  expect((await call("POST", paths.execute, { quote_id: second.id })).status).toBe(200);
  await vi.waitFor(async () => expect((await payout()).status).toBe("succeeded"), {
    timeout: 15_000,
    interval: 100,
  });
  await receiver.waitFor(2, { filter: ({ body: webhookText }) => webhookText.includes(payoutId) });
  await expectChanges(beneficiary_id);
  const { exceptions: payouts } = await platform.clients.operations.listPayoutExceptions({
    kind: ExceptionKind.STUCK,
  });
  expect(payouts).toEqual([]);
  const webhookText = [
    ...heard,
    ...receiver.calls.map(({ body: webhookText }) => webhookText.toString()),
  ].join("\n");
  for (const secret of ofTheHit) expect(webhookText).not.toContain(secret);
});

/** Expects both status changes at the endpoint that subscribes to them, and nowhere else. */
async function expectChanges(beneficiaryId: string): Promise<void> {
  const filter = ({ body: webhookText }: { body: Buffer }) =>
    webhookText.includes(`"transaction_id":"${beneficiaryId}"`);
  const calls = await receiver.waitFor(2, { filter });
  expect(receiver.calls.filter(filter).map(({ path }) => path)).toEqual(["/chosen", "/chosen"]);
  const bodies = calls.map(({ body }) => JSON.parse(body.toString()));
  for (const body of bodies) expect(readReference().webhookProblems(body)).toEqual([]);
  expect(bodies.map(({ transaction_type }) => transaction_type)).toEqual(
    Array(2).fill("beneficiary.screening_changed"),
  );
  const { events } = await data("GET", "/api/v1/events?limit=100");
  const fed = events.filter(
    (each: { transaction_id: string }) => each.transaction_id === beneficiaryId,
  );
  expect(fed.map((each: { data: object }) => each.data)).toEqual(bodies.map((body) => body.data));
  expect(bodies.map((body) => body.data.previous_status)[0]).toBe("cleared");
  expect(bodies.map((body) => body.data.status)[1]).toBe("cleared");
}

async function journal(payoutId: string): Promise<string> {
  const { entries } = await platform.clients.operations.getPayoutJournal({ payoutId });
  return entries.map(({ detail }) => detail).join("\n");
}

/** Registers a beneficiary with the name of a party on the sandbox's list. */
async function namesake(): Promise<{ recordId: string; words: readonly string[] }> {
  const { name: listed = "" } = listedParties.find(({ type }) => type === "Individual") ?? {};
  const [first = "", last = ""] = listed.split(" ");
  const body = { beneficiary_first_name: first, beneficiary_last_name: last };
  const created = await data("POST", paths.fiat, { ...bankBody(), ...body });
  return { recordId: created.beneficiary_id, words: [first, last] };
}

const becomes = (beneficiaryId: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(beneficiaryId)).toBe(status), { timeout: 10_000 });

it("reviews a wallet whose custodian is listed", async () => {
  const { name: exchange = "" } = listedParties.find(({ type }) => type === "Corporate") ?? {};
  const created = (custodian: string) =>
    data("POST", paths.crypto, {
      ...cryptoBody(),
      beneficiary_wallet_custody_provider: "OTHERS",
      beneficiary_wallet_custody_provider_name: custodian,
    });
  const { beneficiary_id: listed } = await created(exchange);
  await becomes(listed, "review");
  const { alerts } = await platform.clients.review.listAlerts({ recordId: listed });
  expect(alerts.map(({ partyName }) => partyName)).toEqual([exchange]);
  await becomes((await created("Paper wallet")).beneficiary_id, "cleared");
});

it("lets an officer follow a case from the alert to the decision", async () => {
  const officer = (id: string) => platform.as(id).review;
  const [ada, eve] = [officer("ada"), officer("eve")];
  const { review } = platform.clients;
  const { recordId, words } = await namesake();
  const before = await statusOf(recordId);
  expect(before).toMatch(/^(review|blocked)$/);
  const { alerts } = await review.listAlerts({ recordId });
  expect(alerts).toHaveLength(1);
  const [alertId = ""] = alerts.map(({ id }) => id);
  const shown = await review.getAlert({ alertId });
  expect(shown.screening?.parties).toHaveLength(1);
  expect(shown.alert?.hit?.reasons).not.toEqual([]);

  const reason = "the passport in the file is a stranger's";
  await ada.assignAlert({ mutation: operation(), alertId, assignee: "ada" });
  const falsePositive = { alertId, decision: Decision.FALSE_POSITIVE, reason };
  await ada.decideAlert({ mutation: operation(), ...falsePositive });
  await becomes(recordId, "cleared");
  await eve.reopenAlert({ mutation: operation(), alertId, reason: "a second document came" });
  await becomes(recordId, before);
  const trueMatch = { alertId, decision: Decision.TRUE_MATCH, reason };
  const { approve, close } = approvers(platform, "compliance");
  const decided = ada.decideAlert({ mutation: operation(), ...trueMatch });
  expect((await approve("bob", decided))?.state).toBe(ProposalState.EXECUTED);
  close();
  const { alert } = await review.getAlert({ alertId });
  expect(alert).toMatchObject({ state: AlertState.TRUE_MATCH, confirmedBy: { id: "bob" } });
  await becomes(recordId, "blocked");

  const { entries } = await review.getAlert({ alertId });
  expect(entries.map(({ actor, action }) => `${actor?.id} ${action}`)).toEqual([
    ...["ada alert.assigned", "ada alert.false_positive", "eve alert.reopened"],
    "ada alert.true_match",
  ]);
  const ids = [alertId, shown.alert?.hit?.entryUid ?? alertId, shown.screening?.id ?? alertId];
  for (const secret of [...ids, reason]) expect(heard.join("\n")).not.toContain(secret);
  const logs = `${platform.log("compliance")}${platform.log("beneficiary")}`;
  for (const secret of [...words, reason]) expect(logs).not.toContain(secret);
});
