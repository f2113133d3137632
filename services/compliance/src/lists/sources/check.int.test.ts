import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../../migrations.ts";
import { personLine } from "../../test-compliance.ts";
import { receivedFiles } from "../imports/files.ts";
import { type ImportDeps, importList } from "../imports/import.ts";
import { listMetrics } from "../open.ts";
import { type ListStore, openListStore } from "../store.ts";
import { type ListSources, openSources } from "./check.ts";
import { openSourceStore } from "./store.ts";

let database: Database;
let server: Server;
let respond: RequestListener;
let requests = 0;
let url: string;

beforeAll(async () => {
  database = await migratedDatabase("sources", migrations);
  server = createServer((request, response) => {
    requests += 1;
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.jsonl`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await database.db.dropDatabase();
  await database.close();
});

let lists: ListStore;
let sources: ListSources;
let importing: ImportDeps;
let show: () => Promise<string>;
let now: Date;
const actor = { kind: "operator", id: "ada" } as const;
const awaited = (count: number) => `disburse_list_awaited{list="l",service="compliance"} ${count}`;
const modified = "Fri, 03 May 2024 14:30:00 GMT";

beforeEach(async () => {
  await database.db.dropDatabase();
  requests = 0;
  now = new Date("2026-11-20T10:00:00Z");
  lists = openListStore(database);
  const metrics = createMetrics("compliance");
  const { ended, show: update } = listMetrics(metrics);
  const log = createLog("test", "silent");
  const nothing = async () => undefined;
  const permit = async () => nothing;
  const clock = { now: () => now };
  const removals = {
    isRejected: async () => false,
    follow: nothing,
    waiting: async () => new Map<string, Date>(),
  };
  downloadMs = enoughMs;
  importing = { lists, clock, ended, refresh: nothing, log, permit, removals };
  sources = open(importing, ["l"]);
  show = async () => {
    await update({ ...importing, indexed: () => [] }, sources);
    return metrics.text();
  };
});

/** Only a download that hangs takes longer. */
const enoughMs = 30_000;
let downloadMs = enoughMs;

const open = (
  deps: ImportDeps,
  names: readonly string[],
  stop = new AbortController(),
  sha256?: string,
) => {
  const format = "json_lines" as const;
  const more = { files: [{ name: "", url }], every_hours: 12, optional: false, sha256 };
  return openSources({
    ...deps,
    settings: names.map((list) => ({ list, format, ...more })),
    store: openSourceStore(database),
    stop: stop.signal,
    timeoutMs: downloadMs,
  });
};

const publish = (body: string, tag = `"${body.length}"`) => {
  respond = (request, response) => {
    const isSame = request.headers["if-none-match"] === tag;
    response.writeHead(isSame ? 304 : 200, { etag: tag, "last-modified": modified });
    response.end(isSame ? undefined : body);
  };
};
const people = (count: number): string =>
  Array.from({ length: count }, (_, at) => personLine(`p${at}`, `Person ${at}`)).join("");
async function check() {
  const checked = await sources.check("l", actor);
  if (isRefused(checked)) throw new Error(checked.refused);
  return checked.state;
}
const inForce = async () => (await lists.listInForce("l"))?.version;

describe("a check of a source", () => {
  it("imports a new list under the publisher's time, and treats 304 as no change", async () => {
    expect(await show()).toContain(awaited(1));
    publish(people(100));
    expect(await check()).toMatchObject({ outcome: "imported", failures: 0 });
    expect(await show()).toContain(awaited(0));
    expect(await inForce()).toMatchObject({ version: "2024-05-03T14:30:00.000Z", entries: 100 });
    expect(await check()).toMatchObject({ outcome: "unchanged", failures: 0 });
    publish(people(101));
    now = new Date(now.getTime() + 1_000);
    expect(await check()).toMatchObject({ outcome: "imported" });
    expect((await inForce())?.entries).toBe(101);
    const listed = await lists.listImports("l", undefined, 10);
    expect(listed.map(({ change }) => change)).toEqual([
      { added: 1, changed: 0, removed: 0 },
      { added: 100, changed: 0, removed: 0 },
    ]);
    expect(listed[0]?.actor).toEqual(actor);
  });

  it("accepts only bytes with the configured checksum, until the setting changes", async () => {
    publish(people(100));
    const { checksum } = receivedFiles([
      { name: "", bytes: new TextEncoder().encode(people(100)) },
    ]);
    const fixed = async (sum: string) => {
      const checked = await open(importing, ["l"], new AbortController(), sum).check("l", actor);
      return isRefused(checked) ? undefined : checked.state;
    };
    expect(await fixed(checksum)).toMatchObject({ outcome: "imported" });
    publish(people(101));
    const refusal = {
      outcome: "refused",
      problem: expect.stringContaining("requires another one"),
    };
    expect(await fixed(checksum)).toMatchObject(refusal);
    expect((await inForce())?.entries).toBe(100);
    publish(people(100));
    expect(await fixed(checksum)).toMatchObject({ outcome: "unchanged" });
    expect(await fixed("0".repeat(64))).toMatchObject(refusal);
  });

  it("makes no import of the same bytes under another tag", async () => {
    publish(people(100));
    await check();
    publish(people(100), '"another"');
    expect(await check()).toMatchObject({ outcome: "unchanged" });
    expect(await lists.listImports("l", undefined, 10)).toHaveLength(1);
  });

  it("reads all again when an operator imported another state meanwhile", async () => {
    publish(people(100));
    await check();
    const request = { list: "l", version: "mine", format: "json_lines", actor } as const;
    const bytes = new TextEncoder().encode(people(99));
    const more = { acceptDropReason: "", operationId: "mine", isPublished: false };
    await importList(importing, { ...request, ...more }, receivedFiles([{ name: "", bytes }]));
    expect(await check()).toMatchObject({ outcome: "imported" });
    expect((await inForce())?.entries).toBe(100);
  });

  it.each<[string, () => void, string, string]>([
    [
      "an error",
      () => {
        respond = (_, response) => response.writeHead(500).end();
      },
      "unreachable",
      "answered 500",
    ],
    [
      "no answer in time",
      () => {
        respond = () => undefined;
        downloadMs = 200;
        sources = open(importing, ["l"]);
      },
      "unreachable",
      "did not send a complete response in time",
    ],
    ["an empty file", () => publish(""), "refused", "must have at least one entry"],
    ["half a file", () => publish(people(100).slice(0, -5)), "refused", "line 100: is not JSON"],
    ["a page in its place", () => publish("<html></html>"), "refused", "line 1: is not JSON"],
  ])("that finds %s leaves the old version, records why and raises the alarm", async (...row) => {
    const [, wrong, outcome, problem] = row;
    publish(people(100));
    await check();
    const before = await inForce();
    wrong();
    for (const failures of [1, 2]) {
      now = new Date(now.getTime() + 3_600_000);
      const state = await check();
      expect(state).toMatchObject({ outcome, failures });
      expect(state?.problem).toContain(problem);
    }
    expect(await inForce()).toEqual(before);
    const metrics = await show();
    expect(metrics).toContain('disburse_list_source_failures{list="l",service="compliance"} 2');
    expect(metrics).toContain('disburse_list_indexed{list="l",service="compliance"} 0');
    expect(metrics).toContain('disburse_list_age_seconds{list="l",service="compliance"} 7200');
    if (outcome === "refused") {
      const [last] = await lists.listImports("l", undefined, 1);
      expect(last).toMatchObject({ state: "refused" });
      expect(last?.problem).toContain(problem);
      expect(metrics).toMatch(/disburse_list_imports_total\{.*outcome="refused".*\} 2/);
    }
    publish(people(100));
    expect(await check()).toMatchObject({ outcome: "unchanged", failures: 0, problem: "" });
    expect(await show()).toContain('list_source_failures{list="l",service="compliance"} 0');
  });

  it("is refused for a list that has no source", async () => {
    expect(await sources.check("other", actor)).toEqual({ refused: "RECORD_NOT_FOUND" });
  });
});

describe("the schedule", () => {
  const always = async () => true;
  const pass = (hours: number) => {
    now = new Date(now.getTime() + hours * 3_600_000);
  };

  it("checks a source at once, then when its time has come, sooner after a failure", async () => {
    publish(people(100));
    await sources.checkDue(always);
    expect([requests, (await inForce())?.entries]).toEqual([1, 100]);
    pass(10);
    await sources.checkDue(always);
    expect(requests).toBe(1);
    pass(4);
    respond = (_, response) => response.writeHead(500).end();
    await sources.checkDue(always);
    expect(requests).toBe(2);
    await sources.checkDue(always);
    expect(requests).toBe(2);
    pass(0.1);
    await sources.checkDue(always);
    expect(requests).toBe(3);
  });

  /** Sources whose first import fails because of the service, not the list. */
  const openBroken = (stop?: AbortController) => {
    const switchedImport: ListStore["switchedImport"] = async (importId) => {
      const [last] = await lists.listImports("broken", undefined, 1);
      if (last?.state !== "reading") return lists.switchedImport(importId);
      stop?.abort();
      throw new RangeError("no space for Person 7");
    };
    return open({ ...importing, lists: { ...lists, switchedImport } }, ["broken", "l"], stop);
  };

  it("continues after a source whose check fails internally, and retries that one later", async () => {
    publish(people(100));
    sources = openBroken();
    await sources.checkDue(always);
    await sources.checkDue(always);
    expect((await inForce())?.entries).toBe(100);
    const [failed, other] = (await sources.list()).map(({ state }) => state);
    expect(failed).toMatchObject({ outcome: "failed", failures: 1, checkedAt: now });
    expect(failed?.problem).toMatch(/./);
    expect(failed?.problem).not.toContain("Person");
    expect(failed?.nextCheckAt.getTime()).toBeGreaterThan(now.getTime());
    expect(other).toMatchObject({ outcome: "imported", failures: 0 });
    expect(await lists.listImports("broken", undefined, 10)).toMatchObject([{ state: "failed" }]);
    expect(await show()).toContain('source_failures{list="broken",service="compliance"} 1');
    pass(0.1);
    await sources.checkDue(always);
    expect((await sources.list())[0]?.state).toMatchObject({ outcome: "failed", failures: 2 });
    sources = open(importing, ["broken", "l"]);
    pass(1);
    await sources.checkDue(always);
    const [mended] = await sources.list();
    expect(mended?.state).toMatchObject({ outcome: "imported", failures: 0, problem: "" });
  });

  it("records nothing of a check that the end of the process interrupted", async () => {
    publish(people(100));
    sources = openBroken(new AbortController());
    await sources.checkDue(always);
    expect((await sources.list()).map(({ state }) => state)).toEqual([undefined, undefined]);
  });

  it("is left to the process that has the lease", async () => {
    publish(people(100));
    await sources.checkDue(async () => false);
    expect(requests).toBe(0);
  });

  it("survives a restart: the next process knows the last read", async () => {
    publish(people(100));
    await sources.checkDue(always);
    const [known] = await sources.list();
    expect(known?.state).toMatchObject({ outcome: "imported", confirmedAt: now });
    expect(known?.state?.nextCheckAt.getTime()).toBeGreaterThan(now.getTime());
  });
});
