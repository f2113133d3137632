import { describe, expect, it } from "vitest";
import { createSealer } from "./sealing.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const sealer = createSealer(`k2:${key(2)},k1:${key(1)}`);

describe("a sealer", () => {
  it("opens texts that it or an older key sealed", () => {
    const old = createSealer(`k1:${key(1)}`).seal("12345678", "m|b|n");
    expect(sealer.open(old, "m|b|n")).toBe("12345678");
    const sealed = sealer.seal("Ω 123", "m|b|n");
    expect(sealed.startsWith("k2.")).toBe(true);
    expect(sealed).not.toContain("123");
    expect(sealer.open(sealed, "m|b|n")).toBe("Ω 123");
  });

  it("recognises texts that an older key sealed", () => {
    const old = createSealer(`k1:${key(1)}`);
    const sealed = old.seal("a", "c");
    expect([old.isCurrent(sealed), sealer.isCurrent(sealed)]).toEqual([true, false]);
    expect(sealer.isCurrent(sealer.seal("a", "c"))).toBe(true);
    expect(createSealer(`k:${key(1)}`).isCurrent(sealed)).toBe(false);
  });

  it("seals the same text differently each time", () => {
    expect(sealer.seal("a", "c")).not.toBe(sealer.seal("a", "c"));
  });

  it.each([
    ["another place", (sealed: string) => [sealed, "m|b|other"]],
    ["an altered text", (sealed: string) => [`${sealed.slice(0, -2)}AA`, "m|b|n"]],
    ["another key's name", (sealed: string) => [sealed.replace("k2.", "k1."), "m|b|n"]],
    ["an unknown key", (sealed: string) => [sealed.replace("k2.", "k9."), "m|b|n"]],
  ])("refuses %s", (_what, change) => {
    const [sealed = "", context = ""] = change(sealer.seal("12345678", "m|b|n"));
    expect(() => sealer.open(sealed, context)).toThrow();
  });
});
