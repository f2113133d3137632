import { create, fromJson } from "@bufbuild/protobuf";
import { plainOf } from "@disburse/commands/table/plain.ts";
import {
  AlertSchema,
  AlertState,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutExceptionSchema } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { describe, expect, it } from "vitest";
import { printable, recordText, tableText } from "./print.ts";

describe("a message", () => {
  it("has the contract's field names, enum names and ISO times", () => {
    const message = fromJson(PayoutExceptionSchema, {
      ...{ kind: "EXCEPTION_KIND_STUCK", since: "2026-11-20T11:26:00.120Z" },
      payout: { id: "po_1", sourceAmount: "1.00" },
    });
    expect(plainOf(PayoutExceptionSchema, message)).toMatchObject({
      ...{ kind: "stuck", since: "2026-11-20T11:26:00.120Z", rail: "", proposal_id: "" },
      payout: { id: "po_1", source_amount: "1.00", status: "" },
    });
  });

  it("with an unknown enum value has its number", () => {
    const state = 99 as AlertState;
    expect(plainOf(AlertSchema, create(AlertSchema, { state })).state).toBe("99");
    const known = create(AlertSchema, { state: AlertState.TRUE_MATCH });
    expect(plainOf(AlertSchema, known).state).toBe("true_match");
  });
});

describe("text for people", () => {
  const rows = [
    { id: "a", name: "Zoë", flags: ["x", "y"], is: true },
    { id: "bb", name: "", flags: [], is: false },
  ];

  it("formats a list as a table", () => {
    const columns = ["id", ["name", "called"], "flags", "is"] as const;
    expect(tableText(rows, columns)).toBe(
      ["ID  CALLED  FLAGS  IS", "a   Zoë     x, y   yes", "bb  -       -      no", ""].join("\n"),
    );
    expect(tableText(rows, ["id"], true)).toContain("\u001b[1mID\u001b[22m");
  });

  it("replaces control characters in stored text", () => {
    const name = "a\u001b[2Jb\u202ec\nd";
    expect(printable(name)).toBe("a\ufffd[2Jb\ufffdc\ufffdd");
    for (const text of [tableText([{ name }], ["name"]), recordText({ name })]) {
      expect(text).not.toContain("\u001b");
      expect(text).not.toContain("\u202e");
    }
  });
});
