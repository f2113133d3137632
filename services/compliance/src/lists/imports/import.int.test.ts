import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import {
  EntryDifference_Kind,
  ListFormat,
  type ListImport,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { hasQuerySet, listFile } from "@disburse/name-matcher/measure/query-set.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  importFiles,
  importLines,
  personLine,
  type Rpc,
  refusalOf,
  screenName,
  type TestCompliance,
  testCompliance,
} from "../../test-compliance.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

/** A file in OFAC's form, with its end mark. */
const published = (text: string) => `${text}\u001a`;

type Header = Parameters<typeof importFiles>[1];

const versionsInForce = async (rpc: Rpc) =>
  (await rpc.listLists({})).lists.map(({ list, version }) => `${list} ${version}`);

/** An entry with every field of a list. */
const fullEntry = {
  uid: "7",
  source: "OFAC",
  type: "individual",
  names: [
    { name: "Tamerlan Zhdanovski", kind: "primary" },
    { name: "Timur", kind: "weak" },
  ],
  births: ["1968-03-02", "1969"],
  countries: ["RU"],
  documents: [{ type: "Passport", number: "P123", country: "RU" }],
  wallets: [{ currency: "XBT", address: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" }],
  programs: ["SDGT"],
};

/** An entry in the JSON lines format. */
const lineOf = (entry: typeof fullEntry): string => {
  const { source: list, births: dob, documents: ids, wallets: crypto, ...same } = entry;
  return `${JSON.stringify({ ...same, list, dob, ids, crypto })}\n`;
};

it("GetListedEntry gives an entry as its publisher does, of now and of before", async () => {
  const rpc = await test.start();
  const requested = { list: "sandbox", entryUid: "7", listVersion: "" };
  expect(await refusalOf(rpc.getListedEntry(requested))).toMatchObject({
    code: "RECORD_NOT_FOUND",
  });
  await importLines(rpc, lineOf(fullEntry) + personLine("8", "Other Person"), "old");
  expect(await rpc.getListedEntry(requested)).toMatchObject({
    entry: { list: "sandbox", ...fullEntry },
    version: { list: "sandbox", version: "old", entries: 2 },
    inForce: true,
  });
  const renamed = { ...fullEntry, names: [{ name: "Tamerlan Zhdanov", kind: "primary" }] };
  await importLines(rpc, lineOf(renamed) + personLine("8", "Other Person"), "new");
  const now = await rpc.getListedEntry(requested);
  expect(now).toMatchObject({ entry: { names: renamed.names }, version: { version: "new" } });
  const before = await rpc.getListedEntry({ ...requested, listVersion: "old" });
  expect(before).toMatchObject({ entry: { names: fullEntry.names }, inForce: false });
  for (const unknown of [{ entryUid: "9" }, { listVersion: "older" }, { list: "other" }]) {
    expect(await refusalOf(rpc.getListedEntry({ ...requested, ...unknown }))).toMatchObject({
      code: "RECORD_NOT_FOUND",
    });
  }
  expect(await refusalOf(rpc.getListedEntry({ ...requested, list: "Not a list" }))).toMatchObject({
    code: "INVALID_REQUEST",
  });
});

it("CompareImports returns the differences between versions, each entry once, in pages", async () => {
  const rpc = await test.start();
  const importIds = async () =>
    (await rpc.listImports({ list: "sandbox" })).imports.map(({ id }) => id);
  const many = Array.from({ length: 120 }, (_, at) => personLine(`k${at}`, `Kept Person ${at}`));
  const kept = many.slice(3).join("");
  await importLines(rpc, lineOf(fullEntry) + many.slice(0, 3).join("") + kept, "old");
  const [first = ""] = await importIds();
  const changed = { ...fullEntry, births: ["1969"], programs: ["SDGT", "SYRIA"] };
  const added = personLine("new", "New Person");
  await importLines(rpc, lineOf(changed) + many.slice(2, 3).join("") + kept + added, "new");
  const [second = ""] = await importIds();
  const found: string[] = [];
  let cursor = "";
  do {
    const page = await rpc.compareImports({ importId: second, limit: 3, cursor });
    expect(page).toMatchObject({ version: { version: "new" }, base: { version: "old" } });
    for (const { kind, uid, before, after, changedFields } of page.differences) {
      const sides = [before, after].map((side) => side?.uid ?? "-").join(" ");
      found.push(
        `${enumName(EntryDifference_Kind, kind)} ${uid} ${sides} ${changedFields.join(",")}`,
      );
    }
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(found.toSorted()).toEqual([
    "added new - new ",
    "changed 7 7 7 births,programs",
    "removed k0 k0 - ",
    "removed k1 k1 - ",
  ]);
  const whole = await rpc.compareImports({ importId: first, limit: 100 });
  expect(whole.base).toBeUndefined();
  expect(whole.differences).toHaveLength(100);
  const rest = await rpc.compareImports({ importId: first, limit: 100, cursor: whole.nextCursor });
  expect(rest.differences).toHaveLength(21);
  const same = await rpc.compareImports({ importId: second, baseImportId: second });
  expect(same.differences).toEqual([]);
  const refused = (requested: object) =>
    refusalOf(rpc.compareImports({ importId: second, ...requested }));
  expect(await refused({ importId: "none" })).toMatchObject({ code: "RECORD_NOT_FOUND" });
  expect(await refused({ baseImportId: "none" })).toMatchObject({ code: "RECORD_NOT_FOUND" });
  expect(await refused({ limit: 101 })).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await refused({ cursor: "x" })).toMatchObject({ code: "INVALID_REQUEST" });
});

describe("ImportList", () => {
  const good = personLine("1", "Tamerlan Zhdanovski");

  it.each([
    ["nothing", "", "must have at least one entry"],
    ["a broken line", `${personLine("2", "Other Person")}{"uid":\n`, "line 2: is not JSON"],
    ["a uid twice", good + good, "line 2: uid 1 occurs twice"],
  ])("refuses %s and leaves the old version in force", async (_, lines, message) => {
    const rpc = await test.start();
    await importLines(rpc, good, "old");
    const refusal = await refusalOf(importLines(rpc, lines, "new", "operation-1"));
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    expect(refusal?.message).toContain(message);
    expect(await versionsInForce(rpc)).toEqual(["sandbox old"]);
    expect(await screenName(rpc, "Tamerlan Zhdanovski")).toMatchObject({ verdict: Verdict.BLOCK });
    const { imports } = await rpc.listImports({ list: "sandbox" });
    expect(imports.map(({ state }) => state)).toEqual(["refused", "in_force"]);
    expect(imports[0]?.problem).toBe(refusal?.message);
    // The operation did nothing, so it may be tried again.
    await importLines(rpc, personLine("2", "Other Person"), "new", "operation-1");
    expect(await versionsInForce(rpc)).toEqual(["sandbox new"]);
    expect(await screenName(rpc, "Other Person")).toMatchObject({ verdict: Verdict.BLOCK });
  });

  it("refuses a list whose entries lost their aliases with a file that was left out", async () => {
    const rpc = await test.start();
    const none = '"-0-"';
    const numbers = Array.from({ length: 11 }, (_, at) => at + 1);
    const rows = (cellsOf: (at: number) => (string | number)[]) =>
      numbers.map((at) => `${cellsOf(at).join(",")}\r\n`).join("");
    const nothing = Array(9).fill(none);
    const primary = published(rows((at) => [at, `"PERSON, ${at}"`, "individual", ...nothing]));
    const some = rows((at) => [at, at, '"aka"', '"ZHDANOVSKI, Tamerlan"', none]);
    const other = rows((at) => [at + 100, at, '"aka"', '"STRANGER"', none]);
    const header = { list: "ofac", version: "1", format: ListFormat.OFAC_CSV };
    await importFiles(rpc, header, { primary, alternates: published(some) });
    const refusal = await refusalOf(
      importFiles(rpc, { ...header, version: "2" }, { primary, alternates: published(other) }),
    );
    expect(refusal?.message).toContain("files: 11 of the 22 names in force are missing");
    expect(await screenName(rpc, "Tamerlan Zhdanovski")).toMatchObject({ verdict: Verdict.BLOCK });
  });

  it.each([
    ["without its alternates", "the file alternates, which has the aliases, is missing", 1, false],
    ["cut at a line's end", "the file primary is truncated: it has no end mark", 1, true],
  ])("refuses OFAC's first list %s, until two persons accept it", async (_what, gap, rows, has) => {
    const rpc = await test.start();
    const none = "-0- ";
    const row = (...cells: string[]) => `${cells.join(",")}\r\n`;
    const party = row("11", '"ZHDANOVSKI, Tamerlan"', '"individual"', ...Array(9).fill(none));
    const files = has
      ? { primary: party, alternates: published(row("11", "1", '"aka"', '"VASHTIBOR"', none)) }
      : { primary: published(party) };
    const header = { list: "ofac_sdn", format: ListFormat.OFAC_CSV };
    const refusal = await refusalOf(importFiles(rpc, header, files));
    expect(refusal?.message).toContain(`files: ${gap}`);
    expect(await versionsInForce(rpc)).toEqual([]);
    const reason = { ...header, acceptDropReason: "the publisher has changed its files" };
    const accepted = () => importFiles(rpc, reason, files, "accept-gap");
    expect(await refusalOf(accepted())).toMatchObject({ code: "APPROVAL_REQUIRED" });
    expect(await versionsInForce(rpc)).toEqual([]);
    expect(await test.approveAll()).toBe(1);
    expect((await accepted()).version).toMatchObject({ entries: rows });
  });

  it("returns the first result to a repeat, and refuses other lines under its name", async () => {
    const rpc = await test.start();
    const first = await importLines(rpc, good, "1", "operation-1");
    expect(first.version).toMatchObject({ list: "sandbox", version: "1", entries: 1 });
    expect(await importLines(rpc, good, "1", "operation-1")).toEqual(first);
    const other = importLines(rpc, personLine("2", "Other Person"), "1", "operation-1");
    expect(await refusalOf(other)).toMatchObject({ code: "INVALID_REQUEST" });
    expect(await refusalOf(importLines(rpc, good, "2", "operation-1"))).toBeDefined();
    expect(await test.database.db.collection("list_imports").countDocuments()).toBe(1);
  });

  it("requires a header first, an end, and a valid name", async () => {
    const rpc = await test.start();
    async function* headless() {
      yield { part: { case: "lines" as const, value: Buffer.from(good) } };
    }
    async function* cut() {
      const header = { mutation: { operationId: "cut" }, list: "sandbox", version: "1" };
      yield { part: { case: "header" as const, value: header } };
      yield* headless();
    }
    const invalid = expect.objectContaining({ code: Code.InvalidArgument });
    await expect(rpc.importList(headless())).rejects.toEqual(invalid);
    await expect(rpc.importList(cut())).rejects.toEqual(invalid);
    expect((await rpc.listImports({})).imports).toEqual([]);
    expect(await refusalOf(importLines(rpc, good, ""))).toMatchObject({
      message: "header.version: must be 1 to 64 printable characters",
    });
  });

  it.each([{ format: ListFormat.OFAC_CSV }, { formatName: "ofac_csv" }])(
    "accepts several files, as published or gzipped, in a publisher's own format: %j",
    async (of) => {
      const rpc = await test.start();
      const none = "-0- ";
      const row = (...cells: string[]) => `${cells.join(",")}\r\n`;
      const primary = row(
        ...["11", '"ZHDANOVSKI, Tamerlan"', '"individual"', '"X-EO1"', none, none],
        ...[none, none, none, none, none, '"DOB somewhen in spring."'],
      );
      const alternates = row("11", "1", '"aka"', '"VASHTIBOR, Ondrecka"', none);
      const header = { list: "ofac_sdn", ...of };
      const { version } = await importFiles(rpc, header, {
        primary: gzipSync(published(primary)),
        alternates: published(alternates),
      });
      expect(version).toMatchObject({ list: "ofac_sdn", entries: 1 });
      expect(version?.checksum).toMatch(/^[0-9a-f]{64}$/);
      const { imports } = await rpc.listImports({ list: "ofac_sdn" });
      expect(imports[0]?.notes).toEqual(["primary line 1: a date has an unknown format"]);
      const hit = (await screenName(rpc, "Ondrecka Vashtibor"))?.hits[0];
      expect(hit).toMatchObject({ list: "ofac_sdn", entryUid: "11" });
      const wrong = importFiles(rpc, header, { primary, others: alternates });
      expect((await refusalOf(wrong))?.code).toBe("INVALID_REQUEST");
    },
  );

  it.each<[string, Header, string]>([
    ["an invalid list name", { list: "OFAC SDN" }, "header.list: must be"],
    ["an unknown format", { format: 99 as ListFormat }, "header.format: is not known"],
    ["an unknown format's name", { formatName: "ofac" }, "header.format: is not known"],
    ["too short a reason", { acceptDropReason: "because" }, "accept_drop_reason: must be 10"],
  ])("refuses %s", async (_, header, message) => {
    const rpc = await test.start();
    const refusal = await refusalOf(importFiles(rpc, header, { "": good }));
    expect(refusal?.message).toContain(message);
  });

  it("believes a person's reason for a drop, and no service's", async () => {
    await test.start();
    const sandbox = test.as(testTrust.service("sandbox"));
    const header = { acceptDropReason: "the publisher took them off" };
    const actor = { kind: Actor_Kind.OPERATOR, id: "ada" };
    async function* requests() {
      const value = { mutation: { operationId: "op", actor }, list: "l", version: "1", ...header };
      yield { part: { case: "header" as const, value } };
    }
    expect(await refusalOf(sandbox.importList(requests()))).toMatchObject({
      message: "header.accept_drop_reason: must be sent by a person, not a service",
    });
  });

  it("accepts a list with large losses for a reason, retains lost entries, and keeps the attempts", async () => {
    const rpc = await test.start();
    const lines = Array.from({ length: 100 }, (_, at) => personLine(`p${at}`, `Person ${at}`));
    await importLines(rpc, lines.join(""), "100");
    const some = lines.slice(10).join("");
    const lost =
      "files: 10 of the 100 entries in force are missing from the new files, more than 2%";
    expect((await refusalOf(importLines(rpc, some, "90")))?.message).toContain(lost);
    expect(await versionsInForce(rpc)).toEqual(["sandbox 100"]);
    const acceptDropReason = "the publisher took them off";
    const accepted = () =>
      importFiles(rpc, { version: "90", acceptDropReason }, { "": some }, "accept-90");
    const { change, retained } = await accepted();
    expect([change, retained]).toMatchObject([{ added: 0, changed: 0, removed: 10 }, 10]);
    expect(await versionsInForce(rpc)).toEqual(["sandbox 90"]);
    expect((await rpc.listLists({})).retained).toMatchObject([{ list: "sandbox", forms: 10 }]);
    expect(await test.approveAll()).toBe(1);
    expect((await rpc.listLists({})).retained).toEqual([]);

    const seen: ListImport[] = [];
    let cursor = "";
    do {
      const page = await rpc.listImports({ list: "sandbox", limit: 1, cursor });
      seen.push(...page.imports);
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen.map(({ version, state }) => [version?.version, state])).toEqual([
      ["90", "in_force"],
      ["90", expect.stringMatching("superseded|in_force")],
      ["90", "refused"],
      ["100", expect.stringMatching("superseded|in_force")],
    ]);
    expect(seen[0]).toMatchObject({
      retained: 0,
      notes: [expect.stringContaining("confirmed by")],
    });
    expect(seen[1]?.retained).toBe(10);
    expect(seen[2]).toMatchObject({ change: { removed: 10 }, version: { entries: 90 } });
    expect(seen[2]?.problem).toContain(lost);
    expect(seen[0]?.actor).toMatchObject({ id: "ada" });
    expect((await rpc.listImports({ list: "other" })).imports).toEqual([]);
    expect(await refusalOf(rpc.listImports({ list: "?" }))).toBeDefined();
    expect(await refusalOf(rpc.listImports({ limit: 101 }))).toBeDefined();
  });

  it("is noticed by another process, and survives a restart", async () => {
    const first = await test.start();
    const second = await test.start();
    await importLines(first, good);
    const verdictAt = async (rpc: Rpc, name: string) => (await screenName(rpc, name))?.verdict;
    const soon = { timeout: 10_000 };
    await vi.waitFor(
      async () => expect(await verdictAt(second, "Tamerlan Zhdanovski")).toBe(Verdict.BLOCK),
      soon,
    );
    await importLines(second, personLine("2", "Other Person"), "2");
    await test.approveAll();
    await vi.waitFor(
      async () => expect(await verdictAt(first, "Tamerlan Zhdanovski")).toBe(Verdict.CLEAR),
      soon,
    );
    const restarted = await test.start();
    expect(await verdictAt(restarted, "Other Person")).toBe(Verdict.BLOCK);
    expect(await versionsInForce(restarted)).toEqual(["sandbox 2"]);
  });

  const whole = "takes a list of 21,717 entries (skipped where ../shared/data is not here)";
  it.skipIf(!hasQuerySet)(whole, async () => {
    const rpc = await test.start();
    const { version } = await importLines(rpc, gunzipSync(readFileSync(listFile)));
    expect(version?.entries).toBe(21_717);
    expect(await screenName(rpc, "Vitaly Savelyev")).toMatchObject({ verdict: Verdict.REVIEW });
  });
});
