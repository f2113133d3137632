import { describe, expect, it } from "vitest";
import { type AuditEntry, type AuditRecord, findTampering, nextEntry } from "./trail.ts";

const record = (subject: string, at = 0): AuditRecord => ({
  at: new Date(at),
  person: "ada",
  action: "resolution.proposed",
  subject,
  operation: `op-${subject}`,
  detail: "po_1: settled R1; the bank's statement",
});

function trail(): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const at of [1, 2, 3, 4]) entries.push(nextEntry(entries.at(-1), record(`rsl_${at}`, at)));
  return entries;
}

describe("the audit trail", () => {
  it("is numbered from 1, each entry chained to the one before", () => {
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
    const late = nextEntry(undefined, record("rsl_1", 2_000));
    expect(nextEntry(late, record("rsl_2", 1_000)).at).toEqual(new Date(2_000));
  });

  const changes: Partial<AuditEntry>[] = [
    { person: "eve" },
    { action: "resolution.confirmed" },
    { subject: "rsl_9" },
    { operation: "op-9" },
    { detail: "po_1: rejected; the bank's statement" },
    { at: new Date(9_000) },
    { sequence: 7 },
    { previousHash: "0".repeat(64) },
    { hash: "0".repeat(64) },
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
    expect(findTampering(without, "consecutive")).toBe("audit entry 4 is not the next");
    expect(findTampering(without, "some")).toBeUndefined();
    expect(findTampering(entries.slice(1), "from the first")).toBe("audit entry 2 is not the next");
    const forged = nextEntry(entries[1], { ...record("rsl_3", 3), person: "eve" });
    expect(findTampering(entries.with(2, forged), "consecutive")).toBe(
      "audit entry 4 is not the next",
    );
  });
});
