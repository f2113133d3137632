import { create, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ApprovalRequiredSchema,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  ApprovalRulesSchema,
  type SetApprovalRulesRequest,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let acme: Awaited<ReturnType<TestGateway["merchant"]>>;
beforeAll(async () => {
  gateway = await startTestGateway();
  acme = await gateway.merchant();
});
afterAll(() => gateway.stop());

const path = "/api/v1/approval-rules";
const inForce = create(ApprovalRulesSchema, {
  amounts: [{ currencyCode: "USD", minimum: "5000.00", windowSeconds: 3_600 }],
  ...{ newBeneficiaryDays: 2, batches: true, lastsSeconds: 86_400 },
});
const none = create(ApprovalRulesSchema, { lastsSeconds: 86_400 });
const shown = {
  amounts: [{ currency_code: "USD", minimum: 5000, window_seconds: 3_600 }],
  ...{ new_beneficiary_days: 2, approve_batches: true, approval_lasts_seconds: 86_400 },
};
const json = (rules: typeof inForce) =>
  toJsonString(ApprovalRulesSchema, rules, { useProtoFieldName: true });
const proposalId = "prp_01hqz0000000000000000000ab";
const time = { seconds: 1_800_000_000n, nanos: 0 };
const proposal = {
  ...{ id: proposalId, state: ProposalState.OPEN, reasons: ["batches need no approval"] },
  ...{ before: json(inForce), after: json(none), contentDigest: "digest", approvers: [] },
  proposedBy: { kind: Actor_Kind.API_KEY, id: "key_1" },
  ...{ createdAt: time, expiresAt: time, updatedAt: time },
};

const ask = async (method: string, at: string, body?: object, key = acme.key) => {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, json: answer } = await gateway.ask({ method, path: at, key, ...text });
  return { status, json: answer, data: answer.data as Record<string, unknown> };
};

let sent: SetApprovalRulesRequest[] = [];
beforeEach(() => {
  sent = [];
  const { payout, approvals } = gateway.fakes;
  payout.getApprovalRules = () => ({ rules: inForce });
  payout.setApprovalRules = (request) => {
    sent.push(request);
    return { rules: none };
  };
  approvals.getProposal = () => ({ proposal });
});

const awaiting = () => {
  gateway.fakes.payout.setApprovalRules = (request) => {
    sent.push(request);
    const value = { proposalId, contentDigest: "digest" };
    const details = [{ desc: ApprovalRequiredSchema, value }];
    throw new ConnectError("APPROVAL_REQUIRED", Code.FailedPrecondition, undefined, details);
  };
};

describe("approval rules", () => {
  it("are read and replaced", async () => {
    expect((await ask("GET", path)).data).toEqual(shown);
    const { amounts, ...rest } = shown;
    const changed = await ask("POST", path, {
      ...rest,
      amounts: [{ ...amounts[0], minimum: "1" }],
    });
    expect(changed.data).toEqual({
      rules: {
        ...{ amounts: [], new_beneficiary_days: 0, approve_batches: false },
        approval_lasts_seconds: 86_400,
      },
    });
    expect(sent).toMatchObject([
      {
        amounts: [{ currencyCode: "USD", minimum: "1", windowSeconds: 3_600 }],
        ...{ newBeneficiaryDays: 2, approveBatches: true, approvalLastsSeconds: 86_400 },
        ...{ merchantId: acme.merchantId, unreadable: [] },
        mutation: { actor: { kind: Actor_Kind.API_KEY, id: acme.keyId } },
      },
    ]);
  });

  it("are written with amounts as text on request", async () => {
    const headers = { "disburse-amounts": "string" };
    const { json: answer } = await gateway.ask({ path, key: acme.key, headers });
    expect(answer.data).toMatchObject({ amounts: [{ minimum: "5000.00", window_seconds: 3_600 }] });
  });

  it("that loosen stay a proposal, whose rules the response shows beside those in force", async () => {
    awaiting();
    const { status, data } = await ask("POST", path, {});
    expect(status).toBe(200);
    expect(data).toMatchObject({
      rules: shown,
      proposal: {
        ...{ id: proposalId, state: "open", digest: "digest", operator_decides: false },
        ...{ before: shown, after: { amounts: [] }, proposed_by: { id: "key_1" } },
      },
    });
  });

  it("are decided by an operator only if no other admin has accepted", async () => {
    const merchant = await gateway.merchant();
    const members = gateway.db.collection<{ _id: string }>("members");
    const member = (_id: string, more: object) =>
      members.insertOne({
        ...{ _id, merchant_id: merchant.merchantId, role: "admin", removed_at: null },
        ...{ operation: { id: _id }, email_hash: _id, ...more },
      });
    const set = async () => {
      await ask("POST", path, {}, merchant.key);
      return sent.at(-1)?.operatorDecides;
    };
    expect(await set()).toBe(true);
    await member("mem_invited", {});
    await member("mem_own", { root: merchant.keyId, subject: { id: "a" } });
    await member("mem_maker", { role: "maker", subject: { id: "b" } });
    await member("mem_gone", { removed_at: new Date(), subject: { id: "d" } });
    expect(await set()).toBe(true);
    await member("mem_alma", { subject: { id: "c" } });
    expect(await set()).toBe(false);
  });

  it("have a repeat with the same content, also if another person now decides", async () => {
    await ask("POST", path, { approve_batches: true });
    await ask("POST", path, { approve_batches: true });
    await ask("POST", path, { approve_batches: false });
    const [first, second, other] = sent.map(({ mutation }) => mutation?.fingerprint);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it("need the scope payout:control", async () => {
    const scopes = ["payout:read", "payout:write", "payout:approve"];
    const { key } = await gateway.merchant({ scopes });
    expect((await ask("GET", path, undefined, key)).status).toBe(200);
    const decisions = ["approve", "reject", "withdraw"].map(
      (each) => `${path}/proposals/${proposalId}/${each}`,
    );
    for (const at of [path, ...decisions]) {
      const refused = await ask("POST", at, { digest: "d", reason: "not agreed on" }, key);
      expect(refused).toMatchObject({ status: 403, json: { reason: "scope_missing" } });
    }
  });
});

describe("a proposal of approval rules", () => {
  const own = `${path}/proposals/${proposalId}`;

  it("is listed and read for the actor that asks", async () => {
    const asked: object[] = [];
    const { approvals } = gateway.fakes;
    approvals.listProposals = (request) => {
      asked.push(request);
      return { proposals: [proposal], nextCursor: "c2", totalCount: 2n };
    };
    const query = "state=open&waiting_for_caller=true&limit=1&cursor=c1";
    const { data } = await ask("GET", `${path}/proposals?${query}`);
    expect(data).toMatchObject({
      proposals: [{ id: proposalId }],
      meta_data: { total_count: 2, next_cursor: "c2" },
    });
    const actor = { kind: Actor_Kind.API_KEY, id: acme.keyId };
    expect(asked).toMatchObject([
      {
        ...{
          state: ProposalState.OPEN,
          waitingForCaller: true,
          merchantId: acme.merchantId,
          actor,
        },
        ...{ limit: 1, cursor: "c1" },
      },
    ]);
    expect((await ask("GET", own)).data).toMatchObject({ id: proposalId });
  });

  it("shows no operator's id", async () => {
    const decidedBy = { kind: Actor_Kind.OPERATOR, id: "auth0|olga" };
    gateway.fakes.approvals.getProposal = () => ({ proposal: { ...proposal, decidedBy } });
    const { data } = await ask("GET", own);
    expect(data.decided_by).toEqual({ id: "", type: "operator", name: "" });
  });

  it("is decided anew by another actor with the same idempotency key", async () => {
    const deciders: (string | undefined)[] = [];
    gateway.fakes.approvals.approveProposal = ({ mutation }) => {
      deciders.push(mutation?.actor?.id);
      return { proposal };
    };
    const { merchantId } = acme;
    const operation = { operationId: "key-of-another-admin" };
    const created = await gateway.keys.createKey({ mutation: operation, merchantId });
    const approve = (key: string) =>
      gateway.ask({
        ...{ method: "POST", path: `${own}/approve`, key },
        body: JSON.stringify({ digest: "digest" }),
        headers: { "idempotency-key": "the same" },
      });
    for (const key of [acme.key, acme.key, created.secret]) {
      expect((await approve(key)).status).toBe(200);
    }
    expect(deciders).toEqual([acme.keyId, created.key?.id]);
  });

  it("is approved with its digest, rejected with a reason, and withdrawn", async () => {
    const decided: object[] = [];
    const note = (request: object) => {
      decided.push(request);
      return { proposal };
    };
    const { approvals } = gateway.fakes;
    Object.assign(approvals, {
      approveProposal: note,
      rejectProposal: note,
      withdrawProposal: note,
    });
    const statuses = [
      await ask("POST", `${own}/approve`, { digest: "digest" }),
      await ask("POST", `${own}/reject`, { reason: "not agreed on" }),
      await ask("POST", `${own}/withdraw`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200]);
    const { merchantId, keyId: id } = acme;
    const by = { merchantId, proposalId, mutation: { actor: { kind: Actor_Kind.API_KEY, id } } };
    expect(decided).toMatchObject([
      { ...by, contentDigest: "digest" },
      { ...by, reason: "not agreed on" },
      by,
    ]);
    const without = await ask("POST", `${own}/approve`, {});
    expect(without).toMatchObject({ status: 400, json: { message: "digest: is required" } });
  });
});
