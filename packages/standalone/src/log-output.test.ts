import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type LogLevel } from "@disburse/chassis/log.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type LogFormat, logFiles, openLogFile, openLogOutput } from "./log-output.ts";

/** Returns the shown and the stored text for some lines of two services. */
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

let folder = "";
const failed = vi.fn();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disburse-log-"));
  failed.mockReset();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = () =>
  logFiles(folder).map((path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined));

it("keeps every line, in order, over several runs", () => {
  for (const run of ["a", "b"]) {
    const log = openLogFile(folder, failed);
    for (let at = 0; at < 500; at += 1) log.write(`${run}${at}\n`);
    log.close();
    log.write("too late\n");
  }
  const [, , current = ""] = written();
  const runs = ["a", "b"].flatMap((run) => Array.from({ length: 500 }, (_, at) => `${run}${at}\n`));
  expect(current).toBe(runs.join(""));
  expect(failed).not.toHaveBeenCalled();
});

it("is readable by this user alone, earlier files too", () => {
  const umask = process.umask(0);
  try {
    const log = openLogFile(folder, failed, 1);
    for (const line of ["a\n", "b\n", "c\n"]) log.write(line);
    log.close();
  } finally {
    process.umask(umask);
  }
  const modes = logFiles(folder).map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect(statSync(join(folder, "log")).mode & 0o777).toBe(0o700);
});

it("starts a new file when one is full, and keeps the two before it", () => {
  const log = openLogFile(folder, failed, 100);
  const lines = Array.from({ length: 95 }, (_, at) => `line ${at + 100}\n`);
  for (const line of lines) log.write(line);
  log.close();
  // Each line has 9 bytes: 12 of them fill a file.
  const [oldest, previous, current] = written();
  expect(oldest).toBe(lines.slice(60, 72).join(""));
  expect(previous).toBe(lines.slice(72, 84).join(""));
  expect(current).toBe(lines.slice(84).join(""));
});

it("counts what an earlier run wrote", () => {
  const path = logFiles(folder)[2];
  mkdirSync(join(folder, "log"));
  writeFileSync(path, "x".repeat(100));
  const log = openLogFile(folder, failed, 100);
  log.write("first\n");
  log.close();
  expect(written()).toEqual([undefined, "x".repeat(100), "first\n"]);
});

it("writes buffered lines when the process exits", () => {
  const program = `import { openLogFile } from ${JSON.stringify(new URL("./log-output.ts", import.meta.url))};
    openLogFile(${JSON.stringify(folder)}, () => undefined).write("last words\\n");
    process.exit(1);`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", program]);
  expect(status).toBe(1);
  expect(written()[2]).toBe("last words\n");
});

it("reports once that it cannot write, and continues without", () => {
  mkdirSync(logFiles(folder)[2], { recursive: true });
  const log = openLogFile(folder, failed);
  log.write("nowhere\n");
  log.close();
  expect(failed).toHaveBeenCalledTimes(1);
  expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: "EISDIR" });
});
