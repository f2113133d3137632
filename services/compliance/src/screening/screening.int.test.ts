import { Code } from "@connectrpc/connect";
import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { riskyWallets, sandboxListLines } from "@disburse/sandbox/sandbox-list.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  importFiles,
  importLines,
  listedName,
  mutation,
  personLine,
  type Rpc,
  refusalOf,
  screenAddress,
  screenName,
  subject,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

/** The milliseconds in the first ten characters of an id's body. */
function idTime(id: string): number {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const head = id.slice(id.indexOf("_") + 1).slice(0, 10);
  return Array.from(head).reduce((time, letter) => time * 32 + alphabet.indexOf(letter), 0);
}

describe("screening", () => {
  it("is refused while no list is in force, and clears nothing", async () => {
    const rpc = await test.start();
    const unavailable = expect.objectContaining({ code: Code.Unavailable });
    await expect(screenName(rpc, "John Smith")).rejects.toEqual(unavailable);
    await expect(screenAddress(rpc, riskyWallets.BTC)).rejects.toEqual(unavailable);
    expect(await test.database.db.collection("screenings").countDocuments()).toBe(0);
  });

  it("blocks listed wallets and parties, clears others, and keeps each screening", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const blocked = await screenAddress(rpc, riskyWallets.ETHEREUM.toUpperCase(), ["POL"]);
    expect(blocked).toMatchObject({ kind: "wallet", verdict: Verdict.BLOCK, subject });
    expect(blocked?.hits).toMatchObject([
      { list: "sandbox", listVersion: "1", entryUid: "sandbox-wallet-ETH", score: 1 },
    ]);
    expect(await screenAddress(rpc, riskyWallets.TRX)).toMatchObject({ verdict: Verdict.BLOCK });
    expect(
      await screenAddress(rpc, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ["BTC"]),
    ).toMatchObject({ verdict: Verdict.CLEAR, hits: [] });
    const hit = await screenName(rpc, listedName, { date: "1990-01-01", countries: ["FR"] });
    expect(hit?.verdict).toBe(Verdict.REVIEW);
    expect(hit?.hits[0]?.reasons.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["name", "date", "country"]),
    );
    expect(hit?.lists).toMatchObject([{ list: "sandbox", version: "1", entries: 8 }]);
    expect(hit?.configurationVersion).not.toBe("");
    // Only GetScreening returns the screened data.
    const stored = (await rpc.getScreening({ screeningId: hit?.id ?? "" })).screening;
    expect({ ...stored, parties: [], wallets: [] }).toEqual(hit);
    expect(stored?.parties).toMatchObject([{ name: listedName, date: "1990-01-01" }]);
    expect(hit).toMatchObject({ trigger: "request", parties: [] });
    expect(await screenName(rpc, "John Smith")).toMatchObject({ verdict: Verdict.CLEAR });
    expect(await screenName(rpc, "??")).toMatchObject({
      ...{ verdict: Verdict.REVIEW, hits: [{ list: "", entryUid: "unreadable-name" }] },
    });
  });

  it("screens a party with its wallets, and returns which one was hit", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const party = { type: Party_Type.INDIVIDUAL, name: "John Smith" };
    const unlisted = {
      networks: ["BTC"],
      address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    };
    const wallets = [unlisted, { networks: [], address: riskyWallets.TRX }];
    const request = { mutation: mutation(), subject, parties: [party], wallets };
    const { screening } = await rpc.screenParty(request);
    expect(screening).toMatchObject({ kind: "party", verdict: Verdict.BLOCK });
    expect(screening?.hits).toMatchObject([{ subjectIndex: 2, entryUid: "sandbox-wallet-TRX" }]);
    const stored = await rpc.getScreening({ screeningId: screening?.id ?? "" });
    expect(stored.screening).toMatchObject({ parties: [party], wallets });
    const alone = await rpc.screenParty({ mutation: mutation(), subject, wallets: [unlisted] });
    expect(alone.screening).toMatchObject({ verdict: Verdict.CLEAR, hits: [] });
  });

  it("gives a company the worst verdict of its owners", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const company = { type: Party_Type.ENTITY, name: "Acme Supplies Ltd" };
    const owners = ["Jane Doe", listedName].map((name) => ({ type: Party_Type.INDIVIDUAL, name }));
    const request = { mutation: mutation(), subject, parties: [company, ...owners] };
    const { screening } = await rpc.screenParty(request);
    expect(screening?.verdict).toBe(Verdict.BLOCK);
    expect(screening?.hits[0]?.reasons[0]?.text).toMatch(/^party 3 of 3: /);
  });

  it("keeps no name, birth date, document id or wallet of who was screened in the clear", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const more = { date: "1971-03-14", documents: [{ number: "XQ-7654321" }] };
    await screenName(rpc, "Zoltvar Quimbrand", more);
    await screenAddress(rpc, riskyWallets.TRX);
    const collections = ["screenings", "subjects", "alerts"] as const;
    const stored = await Promise.all(
      collections.map((name) => test.database.db.collection(name).find().toArray()),
    );
    expect(stored.map(({ length }) => length)).toEqual([2, 1, 1]);
    for (const secret of ['Quimbrand"', "quimbrand ", "1971-03", "7654321", riskyWallets.TRX]) {
      expect(JSON.stringify(stored)).not.toContain(secret);
    }
  });

  it("refuses data that cannot be compared", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const calls = [screenName(rpc, ""), screenAddress(rpc, riskyWallets.TRX, ["BTC"])];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    }
    expect(await test.database.db.collection("screenings").countDocuments()).toBe(0);
  });

  it("makes one screening of one operation, however often and wherever it is repeated", async () => {
    const rpcs = [await test.start(), await test.start()];
    const [first] = rpcs as [Rpc, Rpc];
    await importLines(first, sandboxListLines());
    await vi.waitFor(() => screenName(rpcs[1] as Rpc, "John Smith"), { timeout: 10_000 });
    const before = await test.database.db.collection("screenings").countDocuments();
    const calls = Array.from({ length: 16 }, (_, at) =>
      screenName(rpcs[at % 2] as Rpc, listedName, {}, "operation-1"),
    );
    const ids = new Set((await Promise.all(calls)).map((screening) => screening?.id));
    expect(ids.size).toBe(1);
    expect(await test.database.db.collection("screenings").countDocuments()).toBe(before + 1);
    // Another list does not change the operation's result; another party does not get it.
    const header = { version: "2", acceptDropReason: "another list altogether" };
    const lines = { "": personLine("1", "Somebody Else") };
    await importFiles(first, header, lines, "replace");
    expect(await test.approveAll()).toBe(1);
    const again = await screenName(first, listedName, {}, "operation-1");
    expect([...ids]).toEqual([again?.id]);
    expect(await refusalOf(screenName(first, "John Smith", {}, "operation-1"))).toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  it("refuses an operation of another record, and accepts one of another kind", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const of = { mutation: mutation("operation-1"), subject };
    const parties = [{ type: Party_Type.INDIVIDUAL, name: "John Smith" }];
    const wallet = { networks: ["TRX"], address: riskyWallets.TRX };
    const { screening } = await rpc.screenParty({ ...of, parties });
    expect(await rpc.screenWallet({ ...of, ...wallet })).toMatchObject({
      screening: { kind: "wallet", verdict: Verdict.BLOCK },
    });
    const other = { ...of, subject: { ...subject, recordId: "ben_other" } };
    const calls = [
      rpc.screenParty({ ...other, parties }),
      rpc.screenWallet({ ...other, ...wallet }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    }
    expect((await rpc.screenParty({ ...of, parties })).screening).toEqual(screening);
  });

  it("returns the first screening to a repeat while screening is impossible", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const wallet = { subject, networks: ["TRX"], address: riskyWallets.TRX };
    const request = { ...wallet, mutation: mutation("operation-1") };
    const { screening } = await rpc.screenWallet(request);
    expect(screening).toMatchObject({ verdict: Verdict.BLOCK });
    await test.stopServices();
    await test.database.db.collection("lists_in_force").deleteMany({});
    const unlisted = await test.start();
    const unavailable = expect.objectContaining({ code: Code.Unavailable });
    const another = unlisted.screenWallet({ ...wallet, mutation: mutation() });
    await expect(another).rejects.toEqual(unavailable);
    expect((await unlisted.screenWallet(request)).screening).toEqual(screening);
  });

  it("lists screenings newest first, by merchant, record and verdict, page by page", async () => {
    const rpc = await test.start();
    await importLines(rpc, sandboxListLines());
    const ids: string[] = [];
    for (const name of ["John Smith", listedName, "Jane Doe", "Ravi Kumar", "Maria Garcia"]) {
      ids.unshift((await screenName(rpc, name))?.id ?? "");
      // Ids are ordered by the millisecond.
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(idTime(ids[0] ?? "")), 10_000);
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await rpc.listScreenings({ merchantId: "mer_1", limit: 2, cursor });
      seen.push(...page.screenings.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual(ids);
    const count = async (filter: object) => (await rpc.listScreenings(filter)).screenings.length;
    expect(await count({ merchantId: "mer_2" })).toBe(0);
    expect(await count({ recordId: "ben_1" })).toBe(5);
    expect(await count({ recordId: "ben_2" })).toBe(0);
    expect(await count({ verdict: Verdict.BLOCK })).toBe(1);
    expect(await refusalOf(rpc.listScreenings({ limit: 101 }))).toMatchObject({
      message: "limit: must be 1 to 100",
    });
    expect(await refusalOf(rpc.listScreenings({ cursor: "???" }))).toBeDefined();
    expect(await refusalOf(rpc.getScreening({ screeningId: "scr_none" }))).toMatchObject({
      code: "RECORD_NOT_FOUND",
    });
  });
});
