import { connectService } from "@disburse/chassis/rpc/client.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  AlertState,
  ComplianceReviewService,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { listedParties } from "@disburse/sandbox/sandbox-list.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { approvers, proposalOf } from "./second-person.ts";

/** Actions that need two persons, on a running platform. One person could once do each. */

let platform: TestPlatform;
let acme: Payer;
const closing: (() => void)[] = [];
beforeAll(async () => {
  platform = await startTestPlatform();
  acme = payerOf(platform, "acme");
});
afterAll(async () => {
  for (const close of closing) close();
  await platform?.stop();
});

type Contract = Parameters<typeof connectService>[0];

function clientOf<S extends Contract>(contract: S, service: ServiceName, person: string) {
  const identity = platform.trust.person(person);
  const { rpc, close } = connectService(contract, platform.url(service), { identity });
  closing.push(close);
  return rpc;
}
function approversOf(service: ServiceName) {
  const found = approvers(platform, service);
  closing.push(found.close);
  return found;
}
const mutation = (person: string) => ({
  operationId: crypto.randomUUID(),
  actor: { kind: Actor_Kind.OPERATOR, id: person },
});
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code,
  );

describe("credits", () => {
  const account = async () => {
    const merchantId = platform.sandbox.merchants.acme.merchant_id;
    const opening = { mutation: mutation("ada"), merchantId, currencyCode: "USD" };
    const { account: opened } = await platform.seeders.payout.openAccount(opening);
    const accountId = opened?.id ?? "";
    const rpc = (person: string) => clientOf(PayoutService, "payout", person);
    const credit = (person: string, amount: string, by = mutation(person)) =>
      rpc(person).creditAccount({ mutation: by, merchantId, accountId, amount });
    const available = async () =>
      (await platform.clients.payout.getAccount({ merchantId, accountId })).account?.available;
    return { merchantId, accountId, credit, available, rpc };
  };

  it("above the limit wait for another person, and come once", async () => {
    const { credit, available } = await account();
    const by = mutation("maker-1");
    const credited = () => credit("maker-1", "999999999.00", by);
    const { proposalId } = await proposalOf(credited());
    expect((await proposalOf(credited())).proposalId).toBe(proposalId);
    const { as, approve } = approversOf("payout");
    await expect(approve("maker-1", credited())).rejects.toThrow(
      "is your own proposal; another person must decide",
    );
    expect(await available()).toBe("0.00");
    const { proposal: shown } = await as("checker").getProposal({ proposalId });
    expect(shown?.after).toContain("999999999.00");
    expect((await approve("checker", credited()))?.state).toBe(ProposalState.EXECUTED);
    expect(await available()).toBe("999999999.00");
    expect((await credited()).entry?.amount).toBe("999999999.00");
    expect(await available()).toBe("999999999.00");
  });

  it("count with what the same person did that day: splitting does not help", async () => {
    const { credit, available } = await account();
    expect(await codeOf(credit("maker-2", "60000.00"))).toBe("OK");
    expect(await codeOf(credit("maker-2", "40000.01"))).toBe("APPROVAL_REQUIRED");
    expect(await codeOf(credit("maker-2", "40000.00"))).toBe("OK");
    expect(await codeOf(credit("maker-2", "0.01"))).toBe("APPROVAL_REQUIRED");
    expect(await codeOf(credit("maker-3", "100000.00"))).toBe("OK");
    expect(await available()).toBe("200000.00");
  });

  it("of which nothing came are not counted, and reversals count too", async () => {
    const { credit, available, merchantId, accountId, rpc } = await account();
    const other = rpc("maker-4").creditAccount({
      ...{ mutation: mutation("maker-4"), merchantId, accountId },
      ...{ amount: "100000.00", currencyCode: "INR" },
    });
    expect(await codeOf(other)).toBe("INVALID_REQUEST");
    const { entry } = await credit("maker-4", "100000.00");
    const reversal = { merchantId, accountId, entryId: entry?.id ?? "", note: "booked twice" };
    const credited = rpc("maker-4").reverseCredit({ mutation: mutation("maker-4"), ...reversal });
    expect(await codeOf(credited)).toBe("APPROVAL_REQUIRED");
    expect(await available()).toBe("100000.00");
  });
});

describe("rates", () => {
  it("that move by more than a tenth within a day wait, also in small steps", async () => {
    const quote = clientOf(QuoteService, "quote", "ada");
    const { corridors } = await quote.listCorridors({ limit: 100 });
    const corridor = corridors.find(
      (each) => each.sourceCurrencyCode === "USD" && each.destinationCurrencyCode === "INR",
    );
    const before = Number(corridor?.rate?.rate);
    const set = (factor: number) =>
      quote.setRate({
        mutation: mutation("ada"),
        corridorId: corridor?.id ?? "",
        rate: { rate: String(Math.round(before * factor * 1_000) / 1_000), source: "desk" },
      });
    expect(await codeOf(set(1_000))).toBe("APPROVAL_REQUIRED");
    expect(await codeOf(set(1.06))).toBe("OK");
    expect(await codeOf(set(1.12))).toBe("APPROVAL_REQUIRED");
    const { approve } = approversOf("quote");
    const proposal = await approve("bob", set(1.12));
    expect(proposal?.state).toBe(ProposalState.EXECUTED);
    expect(await codeOf(set(1.18))).toBe("OK");
    expect(await codeOf(set(1))).toBe("APPROVAL_REQUIRED");
  });
});

describe("compliance", () => {
  const person = (uid: string, name: string) => ({
    ...{ uid, type: "individual", names: [{ name, kind: "primary" }] },
  });
  const list = Array.from({ length: 40 }, (_, at) => person(`${at}`, `Listed Person ${at}`));
  const importList = (by: string, version: string, entries: readonly object[]) => {
    const header = {
      ...{
        mutation: mutation(by),
        list: "internal",
        version,
        acceptDropReason: "the publisher renamed them",
      },
    };
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    async function* parts() {
      yield { part: { case: "header" as const, value: header } };
      yield { part: { case: "lines" as const, value: new TextEncoder().encode(lines) } };
      yield { part: { case: "end" as const, value: true } };
    }
    return clientOf(ComplianceService, "compliance", by).importList(parts());
  };

  it("a list whose names were all replaced takes none out of force by one person", async () => {
    await importList("ada", "1", list);
    const renamed = list.map(({ uid }) => person(uid, `Somebody Else ${uid}`));
    const retained = async () => {
      const all = (await platform.clients.compliance.listLists({})).retained;
      return all.find((each) => each.list === "internal")?.forms ?? 0;
    };
    expect((await importList("ada", "2", renamed)).retained).toBe(40);
    const { approveOpen } = approversOf("compliance");
    await expect(approveOpen("ada")).rejects.toThrow(
      "is your own proposal; another person must decide",
    );
    expect(await retained()).toBe(40);
    await approveOpen("bob");
    expect(await retained()).toBe(0);
  });

  it("a true match of two persons is not reopened by its maker alone", async () => {
    const { name = "" } = listedParties.find(({ type }) => type === "Individual") ?? {};
    const [first = "", last = ""] = name.split(" ");
    const body = { beneficiary_first_name: first, beneficiary_last_name: last };
    const { beneficiary_id } = await acme.data("POST", paths.fiat, { ...bankBody(), ...body });
    const review = (by: string) => clientOf(ComplianceReviewService, "compliance", by);
    const { alerts } = await review("ada").listAlerts({ recordId: beneficiary_id });
    const alertId = alerts[0]?.id ?? "";
    const reason = "the passport is the listed one's";
    const decision = { alertId, decision: Decision.TRUE_MATCH, reason };
    const { as, approve } = approversOf("compliance");
    await approve("bob", review("ada").decideAlert({ mutation: mutation("ada"), ...decision }));
    const reopened = () =>
      review("ada").reopenAlert({ mutation: { ...reopening }, alertId, reason });
    const reopening = mutation("ada");
    const { proposalId } = await proposalOf(reopened());
    const state = async () => (await review("ada").getAlert({ alertId })).alert?.state;
    expect(await state()).toBe(AlertState.TRUE_MATCH);
    const { proposal } = await as("bob").getProposal({ proposalId });
    expect(`${proposal?.before}${proposal?.after}`).not.toContain(first);
    await approve("zoe", reopened());
    expect(await state()).toBe(AlertState.OPEN);
  });
});
