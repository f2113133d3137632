import { describe, expect, it } from "vitest";
import type { Role } from "../principal.ts";
import {
  type Acting,
  approve,
  digestOf,
  maySee,
  type Proposal,
  reject,
  stateAt,
  withdraw,
} from "./proposal.ts";

const at = new Date(1_000);
const person = (id: string, ...roles: Role[]) => ({ id, roles: new Set(roles) });
const approver = person("bob", "treasury_approver");
const by = (who: Acting = approver, operationId = "decide-1") => ({ person: who, operationId, at });

const open: Proposal = {
  id: "prp_1",
  ...{ rpc: "disburse.payout.v1.PayoutService/CreditAccount", merchantId: "mer_1" },
  ...{ operationId: "credit-1", subject: "acc_1" },
  ...{ content: "content", request: new Uint8Array([1]) },
  ...{ before: "", after: "{}", digest: digestOf("content", { before: "", after: "{}" }) },
  ...{ reasons: ["above a limit"], approvers: ["treasury_approver"] },
  proposed: { kind: "operator", by: "ada", roles: ["treasury"], at: new Date(0) },
  expiresAt: new Date(2_000),
  ...{ state: "open", outcome: "", updatedAt: new Date(0) },
};

describe("a proposal", () => {
  it("is approved by another person with a role that may", () => {
    expect(approve(open, open.digest, by())).toEqual({
      ...open,
      state: "approved",
      decided: { kind: "operator", by: "bob", operationId: "decide-1", at },
      updatedAt: at,
    });
  });

  it.each([
    [
      "its proposer",
      person("ada", "treasury_approver"),
      "is your own proposal; another person must decide",
    ],
    ["its proposer, written so", person("ADA", "treasury_approver"), "is your own proposal"],
    ["a person without the role", person("eve", "treasury", "admin"), "requires one of"],
  ])("is neither approved nor rejected by %s", (_, who, detail) => {
    for (const answer of [approve(open, open.digest, by(who)), reject(open, "why", by(who))]) {
      expect(answer).toMatchObject({
        refused: "ACCESS_FORBIDDEN",
        detail: expect.stringContaining(detail),
      });
    }
  });

  it("is approved as it was read, and no other", () => {
    const other = digestOf("content", { before: "", after: '{"amount":"1"}' });
    expect(other).not.toBe(open.digest);
    expect(approve(open, other, by())).toMatchObject({ refused: "INVALID_REQUEST" });
  });

  it("answers a repeat, and refuses a second decision", () => {
    const approved = approve(open, open.digest, by());
    if (approved === "repeated" || "refused" in approved) return expect.unreachable();
    expect(approve(approved, open.digest, by())).toBe("repeated");
    const second = approve(approved, open.digest, by(approver, "decide-2"));
    expect(second).toMatchObject({ detail: "proposal_id: the proposal is approved" });
    expect(reject(approved, "why", by())).toMatchObject({ refused: "INVALID_REQUEST" });
    expect(withdraw(approved, by(person("ada")))).toMatchObject({ refused: "INVALID_REQUEST" });
    const rejected = reject(open, "not ours", by());
    if (rejected === "repeated" || "refused" in rejected) return expect.unreachable();
    expect(rejected).toMatchObject({ state: "rejected", outcome: "not ours" });
    expect(reject(rejected, "not ours", by())).toBe("repeated");
    expect(approve(rejected, open.digest, by())).toMatchObject({ refused: "INVALID_REQUEST" });
  });

  it("is withdrawn by its proposer alone", () => {
    expect(withdraw(open, by())).toMatchObject({ refused: "ACCESS_FORBIDDEN" });
    const withdrawn = withdraw(open, by(person("ada")));
    expect(withdrawn).toMatchObject({ state: "withdrawn", updatedAt: at });
    expect(withdraw(withdrawn as Proposal, by(person("ada")))).toBe("repeated");
  });

  it("ends at its time", () => {
    expect(stateAt(open, new Date(1_999))).toBe("open");
    expect(stateAt(open, open.expiresAt)).toBe("expired");
    const late = { ...by(), at: open.expiresAt };
    expect(approve(open, open.digest, late)).toMatchObject({
      detail: "proposal_id: the proposal is expired",
    });
    expect(reject(open, "why", late)).toMatchObject({ refused: "INVALID_REQUEST" });
    expect(stateAt({ ...open, state: "approved" }, open.expiresAt)).toBe("approved");
  });

  it("is seen by its proposer, who may decide it, and auditors", () => {
    expect(maySee(open, person("ada"))).toBe(true);
    expect(maySee(open, approver)).toBe(true);
    expect(maySee(open, person("zoe", "auditor"))).toBe(true);
    expect(maySee(open, person("eve", "treasury", "compliance_approver"))).toBe(false);
  });
});

describe("a merchant's proposal", () => {
  const actor = (id: string, root?: string, merchantId = "mer_1") => ({
    merchantId,
    actor: { kind: "member" as const, id, ...(root !== undefined && { root }) },
  });
  const proposed = { kind: "api_key", by: "key_2", root: "key_1", roles: [], at: new Date(0) };
  const own = { ...open, approvers: [], proposed } as Proposal;

  it.each([
    ["another member", actor("mem_1"), undefined],
    ["the proposer's root", actor("key_1"), "is your own proposal"],
    ["a member that the root invited", actor("mem_2", "key_1"), "is your own proposal"],
    ["another merchant", actor("mem_1", undefined, "mer_2"), "requires one of"],
    ["an operator", approver, "requires one of"],
  ])("and %s", (_, who, detail) => {
    const decisions = [approve(own, own.digest, by(who)), reject(own, "why", by(who))];
    for (const [index, answer] of decisions.entries()) {
      const state = index === 0 ? "approved" : "rejected";
      if (detail === undefined) {
        const decided = { kind: "member", by: "mem_1" };
        expect(answer).toMatchObject({ state, decided });
      } else {
        const refused = "ACCESS_FORBIDDEN";
        expect(answer).toMatchObject({ refused, detail: expect.stringContaining(detail) });
      }
    }
  });

  it("is decided by an operator too if its guard says so", () => {
    const forBoth = { ...own, approvers: ["treasury_approver"] } as Proposal;
    expect(approve(forBoth, own.digest, by())).toMatchObject({ state: "approved" });
    expect(maySee(own, approver)).toBe(false);
    expect(maySee(forBoth, approver)).toBe(true);
  });

  it("is seen by all of the merchant, which sees no operator's proposal about it", () => {
    expect(maySee(own, actor("key_2", "key_1"))).toBe(true);
    expect(maySee(own, actor("mem_9"))).toBe(true);
    expect(maySee(own, actor("mem_9", undefined, "mer_2"))).toBe(false);
    expect(maySee(open, actor("mem_9"))).toBe(false);
    expect(approve(open, open.digest, by(actor("ada")))).toMatchObject({
      refused: "ACCESS_FORBIDDEN",
    });
  });

  it("is withdrawn by its proposer, and no other", () => {
    expect(withdraw(own, by(actor("mem_9")))).toMatchObject({ refused: "ACCESS_FORBIDDEN" });
    expect(withdraw(own, by(actor("key_2", "key_1")))).toMatchObject({ state: "withdrawn" });
  });
});
