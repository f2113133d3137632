import { describe, expect, it } from "vitest";
import {
  type AuditCall,
  type AuditEntry,
  type AuditRecord,
  auditKeyOf,
  findTampering,
  nextEntry,
} from "./trail.ts";

const call: AuditCall = {
  ...{ caller: "person", roles: ["admin", "treasury"], rpc: "a.B/Credit", merchantId: "mer_1" },
  ...{ content: "digest", requestId: "req", outcome: "done" },
};

const record = (subject: string, at = 0): AuditRecord => ({
  at: new Date(at),
  person: "ada",
  action: "payout.resolved",
  subject,
  operation: `op-${subject}`,
  detail: "po_1: settled R1; the bank's statement",
});

function trail(): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const at of [1, 2, 3, 4]) entries.push(nextEntry(entries.at(-1), record(`po_${at}`, at)));
  return entries;
}

describe("the audit trail", () => {
  it("is numbered from 1, each entry chained to the previous one", () => {
    const entries = trail();
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(entries.map(({ previousHash }) => previousHash)).toEqual([
      ...["", entries[0]?.hash, entries[1]?.hash, entries[2]?.hash],
    ]);
    expect(new Set(entries.map(({ hash }) => hash)).size).toBe(4);
    expect(findTampering(entries, "from the first")).toBeUndefined();
    expect(findTampering(entries.slice(1, 3), "consecutive")).toBeUndefined();
    expect(findTampering([], "from the first")).toBeUndefined();
  });

  it("never goes back in time", () => {
    const late = nextEntry(undefined, record("po_1", 2_000));
    expect(nextEntry(late, record("po_2", 1_000)).at).toEqual(new Date(2_000));
  });

  const changes: Partial<AuditEntry>[] = [
    { person: "eve" },
    { action: "rail.paused" },
    { subject: "po_9" },
    { operation: "op-9" },
    { detail: "po_1: rejected; the bank's statement" },
    { at: new Date(9_000) },
    { sequence: 7 },
    { previousHash: "0".repeat(64) },
    { hash: "0".repeat(64) },
    { call },
  ];
  it.each(changes)("detects a changed entry: %j", (change) => {
    const changed = trail().map((entry, at) => (at === 2 ? { ...entry, ...change } : entry));
    for (const extent of ["some", "consecutive", "from the first"] as const) {
      expect(findTampering(changed, extent)).toMatch(/was changed$/);
    }
  });

  it("detects a missing entry, and one rewritten with its hash", () => {
    const entries = trail();
    const without = entries.filter((_each, at) => at !== 2);
    expect(findTampering(without, "consecutive")).toBe(
      "audit entry 4 does not follow the previous entry: entries are missing or in another order",
    );
    expect(findTampering(without, "some")).toBeUndefined();
    expect(findTampering(entries.slice(1), "from the first")).toBe(
      "audit entry 2 does not follow the previous entry: entries are missing or in another order",
    );
    const forged = nextEntry(entries[1], { ...record("rsl_3", 3), person: "eve" });
    expect(findTampering(entries.with(2, forged), "consecutive")).toBe(
      "audit entry 4 does not follow the previous entry: entries are missing or in another order",
    );
  });

  it.each<Partial<AuditCall>>([
    { caller: "service" },
    { roles: ["admin"] },
    { roles: ["admin,treasury"] },
    { rpc: "a.B/Debit" },
    { merchantId: "mer_2" },
    { content: "" },
    { requestId: "other" },
    { outcome: "unknown" },
  ])("detects a changed call: %j", (change) => {
    const entry = nextEntry(undefined, { ...record("acc_1"), call });
    expect(findTampering([entry], "from the first")).toBeUndefined();
    const changed = { ...entry, call: { ...call, ...change } };
    expect(findTampering([changed], "some")).toBe("audit entry 1 was changed");
  });

  it("keeps a call once for its RPC, merchant, operation and outcome", () => {
    const keys = [
      { ...record("a"), call },
      { ...record("a"), call: { ...call, outcome: "unknown" as const } },
      { ...record("a"), call: { ...call, merchantId: "mer_2" } },
      { ...record("a"), call: { ...call, rpc: "a.B/Debit" } },
      { ...record("a"), operation: "op-2", call },
      record("a"),
    ].map(auditKeyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(auditKeyOf({ ...record("b"), operation: "op-a", call })).toBe(keys[0]);
  });
});
