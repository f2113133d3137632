import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type LogLevel } from "@disburse/chassis/log.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { logFiles } from "./log-file.ts";
import { type LogFormat, openLogOutput } from "./log-output.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disburse-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is shown and what is kept of some lines of two services. */
function outputs(format: LogFormat, level?: LogLevel) {
  const shown: string[] = [];
  const out = { write: (line: string) => void shown.push(line) };
  const output = openLogOutput({ out, dataDir: folder, format, colors: false, level });
  const gateway = createLog("gateway", output.level, output.destination);
  const quote = createLog("quote", output.level, output.destination);
  gateway.info({ status: 200 }, "request");
  quote.info({}, "rpc");
  quote.debug({}, "detail");
  quote.warn({}, "warned");
  gateway.error({}, "failed");
  output.close();
  const kept = readFileSync(logFiles(folder)[2], "utf8").trimEnd().split("\n");
  return { shown, kept: kept.map((line) => JSON.parse(line).msg) };
}

const event = (line: string) => /: (?:gateway|quote): (\w+)/.exec(line)?.[1];
const eventOfJson = (line: string) => JSON.parse(line).msg;

it.each([
  [undefined, ["request", "warned", "failed"]],
  ["debug", ["request", "rpc", "detail", "warned", "failed"]],
  ["info", ["request", "rpc", "warned", "failed"]],
  ["error", ["failed"]],
  ["silent", []],
] as const)("shows people at level %s: %j", (level, events) => {
  expect(outputs("pretty", level).shown.map(event)).toEqual(events);
});

it.each([
  [undefined, ["warned", "failed"]],
  ["info", ["request", "rpc", "warned", "failed"]],
] as const)("gives programs JSON at level %s: %j", (level, events) => {
  expect(outputs("json", level).shown.map(eventOfJson)).toEqual(events);
});

it.each([
  [undefined, ["request", "rpc", "warned", "failed"]],
  ["silent", ["request", "rpc", "warned", "failed"]],
  ["debug", ["request", "rpc", "detail", "warned", "failed"]],
] as const)("keeps every line at info, whatever is shown: %s", (level, events) => {
  expect(outputs("pretty", level).kept).toEqual(events);
});
