import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAuditSink } from "./sink.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disburse-sink-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const named = (day: string, number = 1) => ({ service: "quote", number, at: new Date(day) });

it("adds lines to a file for each service and day, in a folder that it makes", async () => {
  const inner = join(folder, "a", "b");
  const sink = openAuditSink(pathToFileURL(inner).href);
  await sink.append("one", named("2026-11-23T23:59:59.999Z"));
  await sink.append("two", named("2026-11-23T00:00:00Z"));
  await sink.append("three", named("2026-11-24T00:00:00Z"));
  expect(readdirSync(inner).sort()).toEqual(["quote-2026-11-23.jsonl", "quote-2026-11-24.jsonl"]);
  expect(readFileSync(join(inner, "quote-2026-11-23.jsonl"), "utf8")).toBe("one\ntwo\n");
});

it("begins a line of its own after one that a crash cut off", async () => {
  const sink = openAuditSink(pathToFileURL(folder).href);
  await sink.append("one", named("2026-11-23"));
  const path = join(folder, "quote-2026-11-23.jsonl");
  appendFileSync(path, '{"statement":"cut');
  await sink.append("two", named("2026-11-23"));
  expect(readFileSync(path, "utf8")).toBe('one\n{"statement":"cut\ntwo\n');
});

it("is of a kind that there is", () => {
  expect(() => openAuditSink("ftp://sink.example/")).toThrow("no audit sink of the kind ftp:");
});
