import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, it, vi } from "vitest";
import { forRequest, withCallContext } from "./call-context.ts";
import { createLog, plainError } from "./log.ts";

it("writes each line with the id of its request", () => {
  const lines: string[] = [];
  const log = createLog("quote", "info", { write: (line) => void lines.push(line) });
  withCallContext({ requestId: "r-1" }, () => log.info({ rpc: "GetQuote" }, "rpc"));
  forRequest({ request_id: "r-2" }, () => log.warn({}, "later"));
  forRequest(undefined, () => log.info({}, "by itself"));
  log.debug({}, "not asked for");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", service: "quote", request_id: "r-1", rpc: "GetQuote", msg: "rpc" },
    { level: "warn", request_id: "r-2", msg: "later" },
    { msg: "by itself" },
  ]);
  expect(lines[2]).not.toContain("request_id");
  expect(lines.join()).not.toContain("trace_id");
});

it("writes each line with the span of its request", () => {
  const lines: string[] = [];
  const log = createLog("quote", "info", { write: (line) => void lines.push(line) });
  const [trace_id, span_id] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const span = { traceId: trace_id, spanId: span_id, traceFlags: 0 };
  withCallContext({ requestId: "r-1", span }, () => log.info({}, "rpc"));
  const traceparent = `00-${trace_id}-${span_id}-01`;
  forRequest({ request_id: "r-2", traceparent }, () => log.info({}, "later"));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { request_id: "r-1", trace_id, span_id },
    { request_id: "r-2", trace_id, span_id },
  ]);
});

it("keeps an error's type and stack, and none of the written documents", () => {
  const cause = new Error("socket closed");
  const failed = Object.assign(new Error("insert failed", { cause }), {
    code: 11_000,
    writeErrors: [{ op: { name: "Ada Lovelace" } }],
  });
  const logged = plainError(failed);
  expect(logged).toMatchObject({
    type: "Error",
    code: 11_000,
    message: "insert failed",
    cause: { message: "socket closed" },
  });
  expect(JSON.stringify(logged)).not.toContain("Lovelace");
});

it("names each failure of several, and ends with an error that is its own cause", () => {
  const endless = new Error("again");
  endless.cause = endless;
  const logged = plainError(new AggregateError([new Error("first"), endless], "both"));
  expect(JSON.stringify(logged)).toContain("first");
});

it("keeps the process running when its output cannot be written", () => {
  const module = new URL("./log.ts", import.meta.url).href;
  const program = `
    const { createLog } = await import(${JSON.stringify(module)});
    const log = createLog("quote", "info");
    for (const level of ["info", "warn", "error", "fatal"]) log[level]({}, "lost");
    setTimeout(() => process.stderr.write("went on"), 50);`;
  // The file is open for reading only: each write fails.
  const output = fs.openSync(import.meta.filename, "r");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { stdio: ["ignore", output, "pipe"], encoding: "utf8", timeout: 10_000 },
  );
  fs.closeSync(output);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "went on" });
});

it("writes again as soon as its output can be written, and buffers nothing until then", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const write = vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw full;
  });
  const log = createLog("quote", "info");
  log.info({}, "first");
  log.info({}, "second");
  const written: string[] = [];
  write.mockImplementation((_output, line) => {
    written.push(String(line));
    return String(line).length;
  });
  log.info({}, "third");
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ msg: "third" }]);
});
