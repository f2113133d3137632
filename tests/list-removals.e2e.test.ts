import { connectService } from "@disburse/chassis/rpc/client.ts";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  ComplianceService,
  Party_Type,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Decision } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import { approvers } from "./second-person.ts";

/**
 * Proves that one officer can't clear a party by importing a list without its entry. Otherwise the
 * beneficiary of a confirmed true match could be paid.
 */

let platform: TestPlatform;
let call: ReturnType<typeof merchantOf>["call"];
let compliance: ReturnType<typeof approvers>;
let officer: ReturnType<typeof connectService<typeof ComplianceService>>;

beforeAll(async () => {
  platform = await startTestPlatform({ LISTS_POLL_MS: "200" });
  call = merchantOf(platform.baseUrl, platform.apiKey("acme")).call;
  compliance = approvers(platform, "compliance");
  // Each import builds an index, which takes seconds on a busy machine.
  officer = connectService(ComplianceService, platform.url("compliance"), {
    ...{ identity: platform.trust.person("ada"), timeoutMs: 60_000 },
  });
});
afterAll(async () => {
  compliance?.close();
  await officer?.close();
  await platform?.stop();
});

const mutation = () => ({ operationId: crypto.randomUUID() });
const entry = (uid: string, name: string) => ({
  ...{ uid, type: "individual", names: [{ name, kind: "primary" }] },
});
const other = entry("other", "Pirmolan Gevaskutir");

/** Replaces an operator's own list as one officer. */
async function importList(list: string, version: string, entries: readonly object[]) {
  const lines = entries.map((each) => `${JSON.stringify(each)}\n`).join("");
  const header = {
    ...{ mutation: mutation(), list, version },
    acceptDropReason: "the entries were taken back by the publisher",
  };
  async function* parts() {
    yield { part: { case: "header" as const, value: header } };
    yield { part: { case: "lines" as const, value: new TextEncoder().encode(lines) } };
    yield { part: { case: "end" as const, value: true } };
  }
  return officer.rpc.importList(parts());
}

async function data(method: string, path: string, body?: object) {
  const { status, json, text } = await call(method, path, body);
  expect(status, text).toBe(200);
  return json.data;
}

async function beneficiary(first: string, last: string): Promise<string> {
  const names = { beneficiary_first_name: first, beneficiary_last_name: last };
  const { beneficiary_id } = await data("POST", paths.fiat, { ...bankBody(), ...names });
  await vi.waitFor(
    async () => expect(await statusOf(beneficiary_id)).toMatch(/^(review|blocked)$/),
    { timeout: 30_000, interval: 200 },
  );
  return beneficiary_id;
}

const statusOf = async (id: string): Promise<string> =>
  (await data("GET", `${paths.beneficiaries}/${id}`)).screening_status;

/** Requests a quote, which is refused for a stopped beneficiary. */
async function isPayable(beneficiaryId: string): Promise<boolean> {
  const request = {
    ...{ source_amount: "12.30", beneficiary_id: beneficiaryId },
    account_id: platform.accountId("acme", "USD"),
    ...{ source_currency_code: "USD", destination_currency_code: "USD" },
  };
  return (await call("POST", paths.rfq, request)).status === 200;
}

/** Waits until every subject is compared with the lists in force. */
const compared = () =>
  vi.waitFor(
    async () => {
      const { behind, eventsPending } = await platform.as("ada").compliance.getMonitoring({});
      expect([behind, eventsPending]).toEqual([0n, 0n]);
    },
    { timeout: 20_000, interval: 100 },
  );

/** Returns the status after lists, monitoring and the beneficiary's record have been updated. */
async function settledStatus(id: string): Promise<string> {
  // Polling the lists, monitoring and the event take some hundred ms each.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await compared();
  return statusOf(id);
}

it("a confirmed true match stays, whatever one officer's list says", async () => {
  const [first, last] = ["Wexlorim", "Tandrovask"];
  await importList("matches", "1", [other, entry("m-1", `${first} ${last}`)]);
  const id = await beneficiary(first, last);
  const { alerts } = await platform.as("ada").review.listAlerts({ recordId: id });
  const alertId = alerts[0]?.id ?? "";
  const reason = "the passport is the listed one's";
  const decision = { alertId, decision: Decision.TRUE_MATCH, reason };
  const decided = platform.as("ada").review.decideAlert({ mutation: mutation(), ...decision });
  await compliance.approve("bob", decided);
  await importList("matches", "2", [other]);
  expect(await settledStatus(id)).toBe("blocked");
  // A confirmation about a list doesn't affect it either: that is a separate question.
  const proposals = await compliance.approveOpen("bob");
  expect(proposals.map(({ after }) => JSON.parse(after).clears)).toEqual([[]]);
  expect(await settledStatus(id)).toBe("blocked");
  expect(await isPayable(id)).toBe(false);
});

it("an import takes a party off by a second person, who reads whom it clears, or not at all", async () => {
  const [first, last] = ["Harlinov", "Mostrandiv"];
  await importList("removals", "1", [other, entry("r-1", `${first} ${last}`)]);
  const id = await beneficiary(first, last);
  const before = await statusOf(id);
  const { retained } = await importList("removals", "2", [other]);
  expect(retained).toBe(1);
  expect(await settledStatus(id)).toBe(before);

  const proposal = async () => {
    const { proposals } = await compliance.as("bob").listProposals({ state: ProposalState.OPEN });
    const found = proposals.find(({ after }) => after.includes(id));
    return found ?? expect.unreachable("nothing is proposed");
  };
  const waiting = await proposal();
  const { clears, entries } = JSON.parse(waiting.after);
  const merchant_id = platform.sandbox.merchants.acme.merchant_id;
  expect(clears).toEqual([{ merchant_id, record_id: id, from: "block", to: "clear" }]);
  expect(entries).toEqual([{ uid: "r-1", name: `${first} ${last}`, change: "removed" }]);
  expect(waiting.proposedBy?.id).toBe("ada");
  const decided = { proposalId: waiting.id, contentDigest: waiting.contentDigest };
  const approve = (person: string, by: typeof decided) =>
    compliance.as(person).approveProposal({ mutation: mutation(), ...by });
  await expect(approve("ada", decided)).rejects.toThrow(
    "is your own proposal; another person must decide",
  );

  // A rejected removal keeps the entry in force. The next import proposes it again.
  const reason = "the publisher's letter says nothing of this entry";
  const { proposalId } = decided;
  await compliance.as("bob").rejectProposal({ mutation: mutation(), proposalId, reason });
  await expect(approve("carol", decided)).rejects.toThrow("is rejected");
  expect(await settledStatus(id)).toBe(before);
  await importList("removals", "3", [other]);
  const again = await proposal();
  await approve("bob", { proposalId: again.id, contentDigest: again.contentDigest });
  await vi.waitFor(async () => expect(await statusOf(id)).toBe("cleared"), {
    timeout: 30_000,
    interval: 200,
  });
  expect(await isPayable(id)).toBe(true);
});

it("no officer clears a stopped record by screening it as another person", async () => {
  const [first, last] = ["Zorvanek", "Tolmirust"];
  await importList("screened", "1", [other, entry("s-1", `${first} ${last}`)]);
  const id = await beneficiary(first, last);
  const subject = { merchantId: platform.sandbox.merchants.acme.merchant_id, recordId: id };
  const parties = [{ type: Party_Type.INDIVIDUAL, name: "Somebody Harmless" }];
  const screened = platform
    .as("ada")
    .compliance.screenParty({ mutation: mutation(), subject, parties });
  await expect(screened).rejects.toThrow("subject.record_id");
  expect(await settledStatus(id)).toMatch(/^(review|blocked)$/);
});

it("forty small imports take no party off a list", async () => {
  const words = ["zol", "tva", "qui", "mbra", "ond", "rek", "vash", "tib", "mar", "dzhu"];
  const nameAt = (at: number) => {
    const [one, ten] = [words[at % 10] ?? "", words[Math.floor(at / 10)] ?? ""];
    return [`${one}kel${ten}`, `${ten}rod${one}ov`];
  };
  const entries = Array.from({ length: 100 }, (_, at) => entry(`f-${at}`, nameAt(at).join(" ")));
  await importList("forty", "0", entries);
  const [first = "", last = ""] = nameAt(7);
  const id = await beneficiary(first, last);
  for (let taken = 1; taken <= 40; taken += 1) {
    await importList("forty", String(taken), entries.slice(taken));
  }
  expect(await settledStatus(id)).toMatch(/^(review|blocked)$/);
  expect(await isPayable(id)).toBe(false);
});
