import { Worker } from "node:worker_threads";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { entryTypes, type ListEntry } from "./domain/list-entry.ts";
import { type ScreeningRequest, screen } from "./domain/screening.ts";
import { indexLists } from "./index-build.ts";
import { type IndexThreads, startIndexThreads } from "./index-threads.ts";
import { packEntries } from "./list-chunks.ts";
import { person, personParty, version } from "./test-lists.ts";

const words = [
  "zoltva",
  "quimbra",
  "ondrek",
  "vashtib",
  "marven",
  "dzhuzol",
  "tamerlan",
  "holding",
];
const addresses = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
];
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;

/** Entries of all types, of few words, so that many are equally alike; some share a wallet. */
function crowd(list: string, count: number): ListEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    ...person(`${list}${at}`, `${pick(words, at)} ${pick(words, at >> 3)} ${pick(words, at >> 5)}`),
    type: pick(entryTypes, at),
    births: at % 3 === 0 ? ["1970-01-02"] : [],
    documents: at % 5 === 0 ? [{ type: "passport", number: `AB${at}9999`, country: "" }] : [],
    wallets: at % 7 === 0 ? [{ currency: "", address: pick(addresses, at >> 2) }] : [],
  }));
}
const packed = () =>
  ["l", "m"].map((list) => ({
    version: version(list, "1"),
    chunks: packEntries(list, crowd(list, 400)),
  }));
const both = (ended: (error: unknown) => void, lists = packed()) =>
  startIndexThreads(lists, ended, ["persons", "others"]);

const party = fc.record({
  type: fc.constantFrom(...entryTypes),
  // One of them cannot be read, and one not whole.
  name: fc.oneof(
    fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
      .map((some) => some.join(" ")),
    fc.constantFrom("🙂", `tamerlan zoltva ${"of ".repeat(30)}`),
  ),
  date: fc.constantFrom("", "1970-01-02", "1999-09-09"),
  countries: fc.constant([]),
  documents: fc.constantFrom([], [{ number: "AB1009999", country: "" }]),
});
const wallet = fc.record({
  families: fc.constantFrom(["evm"] as const, ["bitcoin", "evm"] as const),
  address: fc.constantFrom(...addresses),
});
const request = fc.record(
  {
    parties: fc.array(party, { maxLength: 4 }),
    wallets: fc.array(wallet, { maxLength: 2 }),
    most: fc.constantFrom(0, 1, 5, 50),
  },
  { requiredKeys: ["parties", "wallets"] },
);
const unavailable = expect.objectContaining({ code: Code.Unavailable });
const asked = (type: "individual" | "entity"): ScreeningRequest => ({
  parties: [{ ...personParty("tamerlan zoltva"), type }],
  wallets: [],
});

describe("an index in two threads", () => {
  let threads: IndexThreads;
  beforeAll(async () => {
    threads = await both(() => undefined);
  });
  afterAll(() => threads.stop());

  it("answers every request as one index of everything does", async () => {
    const whole = indexLists(packed());
    const seen = { hits: 0, mixed: 0, beyond: 0 };
    const property = fc.asyncProperty(request, async (one) => {
      const expected = screen(one, whole);
      expect(await threads.screen(one)).toEqual(expected);
      const isOf = new Set(expected.hits.map(({ entryType }) => entryType === "individual"));
      seen.hits += expected.hits.length;
      seen.mixed += Number(isOf.size === 2);
      seen.beyond += Number(expected.hits.some(({ entryUid }) => entryUid === "further-hits"));
    });
    await fc.assert(property, { numRuns: 150 });
    expect(Math.min(seen.hits, seen.mixed, seen.beyond)).toBeGreaterThan(20);
  });
});

describe("threads of one index", () => {
  it.each(["individual", "entity"] as const)("die together: of %s", async (type) => {
    const ended = vi.fn();
    const threads = await both(ended);
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    await threads.screen(asked(type));
    const worker = posted.mock.contexts[0];
    if (!(worker instanceof Worker)) throw new Error("no thread was asked");
    await worker.terminate();
    expect(threads.isAlive()).toBe(false);
    for (const request of [asked("individual"), asked("entity"), { parties: [], wallets: [] }]) {
      await expect(threads.screen(request)).rejects.toEqual(unavailable);
    }
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    posted.mockRestore();
  });

  it("that cannot read a chunk are none, and nobody is told of a death", async () => {
    const ended = vi.fn();
    const [first] = packed();
    if (first === undefined) throw new Error("no list");
    const chunks = first.chunks.map(({ id, bytes }, at) => ({
      id: at === 0 ? `${id}0` : id,
      bytes,
    }));
    await expect(both(ended, [{ ...first, chunks }])).rejects.toThrow("is not what it was");
    expect(ended).not.toHaveBeenCalled();
  });

  it("are ended together, and nobody is told of it", async () => {
    const ended = vi.fn();
    const threads = await both(ended);
    await threads.stop();
    expect(threads.isAlive()).toBe(false);
    await expect(threads.screen(asked("entity"))).rejects.toEqual(unavailable);
    expect(ended).not.toHaveBeenCalled();
  });
});
