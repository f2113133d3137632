import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createChainCheck, type Link } from "./chain-check.ts";
import { createKeptHeads, type ShippedHead } from "./kept-heads.ts";
import { checkTails, type Tail } from "./report.ts";
import { createStatementCheck, readPublicKeys } from "./statements.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Creates a chain with one entry per text, covered by its hash. */
function chain(texts: readonly string[]): Link[] {
  let previous = "";
  return texts.map((text, index) => {
    const before = previous;
    const hashAt = (sequence: number) => digest(JSON.stringify([before, sequence, text]));
    previous = hashAt(index + 1);
    return { sequence: index + 1, previous: before, hash: previous, hashAt, strays: [] };
  });
}

const texts = ["a", "b", "c", "d", "e", "f"];
const headOf = ({ sequence, hash }: Link): ShippedHead => ({
  ...{ chain: "audit", sequence, hash, at: "2026-11-23T10:00:00.000Z" },
});

/** Returns the flaws of a chain whose third and last entries were shipped. */
function found(links: readonly Link[], last = 0): string[] {
  const shipped = chain(texts).filter(({ sequence }) => sequence === 3 || sequence === 6);
  const check = createChainCheck("payout", "audit", shipped.map(headOf));
  for (const link of links) check.add(link);
  return check.end(last).map(({ kind, subject, detail }) => `${kind} ${subject}: ${detail}`);
}

describe("a chain", () => {
  it("that is as it was is found so, and goes on after the last head", () => {
    expect(found(chain(texts))).toEqual([]);
    expect(found(chain([...texts, "g", "h"]))).toEqual([]);
  });

  it("whose entry was changed says which", () => {
    const links = chain(texts);
    const spoilt = { ...(links[3] as Link), hashAt: () => "other" };
    expect(found(links.with(3, spoilt))).toEqual([
      "changed audit entry 4: its hash is not the hash of its fields",
    ]);
  });

  it("whose entry was changed with its hash says which", () => {
    const forged = chain(["a", "b", "x"]).slice(2);
    expect(found(chain(texts).toSpliced(2, 1, ...forged))).toEqual([
      expect.stringMatching(/^rewritten audit entry 3: has another hash than the one/),
      "rewritten audit entry 3: is another one than entry 4 follows",
    ]);
  });

  it("that was rewritten from an entry on is known by the heads alone", () => {
    expect(found(chain(["a", "b", "c", "x", "e", "f"]))).toEqual([
      expect.stringMatching(/^rewritten audit entry 6: has another hash than the one/),
    ]);
  });

  it("that lacks entries in it says which", () => {
    expect(found(chain(texts).toSpliced(1, 2))).toEqual([
      "missing audit entry 2: entries 2 to 3 are not there",
    ]);
    expect(found(chain(texts).slice(1))).toEqual(["missing audit entry 1: entry 1 is not there"]);
  });

  it("whose entries changed places says which", () => {
    const links = chain(texts);
    const [second, fifth] = [links[1] as Link, links[4] as Link];
    const swapped = links.with(1, { ...fifth, sequence: 2 }).with(4, { ...second, sequence: 5 });
    expect(found(swapped)).toEqual([
      "reordered audit entry 2: is entry 5, in another place",
      "reordered audit entry 5: is entry 2, in another place",
    ]);
  });

  it("that was cut at its end says where, by the heads or by its owner", () => {
    expect(found(chain(texts).slice(0, 4))).toEqual([
      "cut audit entry 5: entries 5 to 6 are not there; 6 was shipped at 2026-11-23T10:00:00.000Z",
    ]);
    expect(found(chain(texts), 8)).toEqual(["cut audit entry 7: entries 7 to 8 are not there"]);
    expect(found([])).toHaveLength(1);
  });

  it("with a field that no hash covers says so", () => {
    const links = chain(texts);
    expect(found(links.with(0, { ...(links[0] as Link), strays: ["actor"] }))).toEqual([
      "changed audit entry 1: no hash covers its actor",
    ]);
  });
});

const keyPair = (service: string) => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: `${service}.key` };
  return { jwk, privateKey };
};
const [payout, quote] = [keyPair("payout"), keyPair("quote")];
const keys = readPublicKeys(JSON.stringify({ keys: [payout.jwk, quote.jwk] }));

type Terms = { number: number; previous: string; heads: readonly unknown[]; at?: string };

function line(terms: Terms, { jwk, privateKey }: typeof payout = payout): string {
  const at = "2026-11-23T10:00:00.000Z";
  const statement = JSON.stringify({ service: "payout", trust_domain: "d", at, ...terms });
  const signed = Buffer.from(`disburse audit heads 1\n${statement}`);
  const signature = sign(null, signed, privateKey).toString("base64url");
  return JSON.stringify({ statement, key_id: jwk.kid, signature });
}
const hashOf = (text: string) => digest(JSON.parse(text).statement);

const first = line({ number: 1, previous: "", heads: [["audit", 2, "h2"]] });
const second = line({ number: 2, previous: hashOf(first), heads: [["audit", 5, "h5"]] });
const third = line({ number: 3, previous: hashOf(second), heads: [["audit", 6, "h6"]] });

function read(lines: readonly string[], from?: Date) {
  const heads = createKeptHeads();
  const check = createStatementCheck(keys, heads, from);
  for (const each of lines) check.add(each);
  const flaws = [...check.end(), ...heads.end()];
  const kept = heads.of("payout", "audit").map(({ sequence }) => sequence);
  const reported = flaws.map(({ kind, subject, detail }) => `${kind} ${subject}: ${detail}`);
  return { kept, flaws: reported, torn: check.torn() };
}

describe("what was shipped", () => {
  it("is read in any order, a line again after a crash, and one that was cut off", () => {
    const lines = [third, first, '{"statement":"', second, second];
    expect(read(lines)).toEqual({ kept: [2, 5, 6], flaws: [], torn: 1 });
  });

  it("says where a statement is missing, was replaced, or is signed by another key", () => {
    expect(read([first, third]).flaws).toEqual(["missing statement 3: 2 to 2 are not there"]);
    const other = line({ number: 2, previous: hashOf(first), heads: [["audit", 4, "x"]] });
    expect(read([first, other, third]).flaws).toEqual([
      "rewritten statement 3: follows another one",
    ]);
    expect(read([first, second, other]).flaws).toContain(
      "rewritten statement 2: is there twice, with other heads",
    );
    const forged = line({ number: 1, previous: "", heads: [["audit", 9, "x"]] }, quote);
    const changed = first.replace("h2", "h3");
    for (const each of [forged, changed]) {
      expect(read([each])).toEqual({
        ...{ kept: [], torn: 0 },
        flaws: ["unsigned statement 1: is not signed by a key of its service"],
      });
    }
  });

  it("shows a chain that went back, and one that was another at the same number", () => {
    const back = line({ number: 2, previous: hashOf(first), heads: [["audit", 1, "h1"]] });
    expect(read([first, back]).flaws).toEqual([expect.stringMatching(/^cut audit entry 1: /)]);
    const other = line({ number: 2, previous: hashOf(first), heads: [["audit", 2, "x"]] });
    expect(read([first, other]).flaws).toEqual([
      expect.stringMatching(/^rewritten audit entry 2: was another one/),
    ]);
  });

  it("is left out where it is older than asked for", () => {
    const from = new Date("2026-11-23T12:00:00Z");
    const at = "2026-11-23T13:00:00.000Z";
    const late = line({ number: 9, previous: "", heads: [["audit", 7, "h7"]], at });
    expect(read([first, late], from)).toMatchObject({ kept: [7], flaws: [] });
  });

  it("keeps heads of a chain within bounds, the newest always", () => {
    const heads = createKeptHeads();
    for (let sequence = 1; sequence <= 5_000; sequence += 1) {
      heads.add("payout", { chain: "audit", sequence, hash: `h${sequence}`, at: "" });
    }
    const kept = heads.of("payout", "audit");
    expect(kept.length).toBeLessThan(70);
    expect(kept.at(-1)?.sequence).toBe(5_000);
    expect(heads.end()).toEqual([]);
  });
});

describe("the end of a sink", () => {
  const shippedAt = new Date("2026-11-23T10:00:01.000Z");
  const tail = (number: number, previous: string, pending?: number): Tail => {
    const own: Tail = { number, previous, shipped_at: shippedAt };
    return pending === undefined ? own : Object.assign(own, { pending: { number: pending } });
  };
  const none = new Map<string, Tail>();
  const payouts = (of: Tail) => new Map([["payout", of]]);

  function tailsOf(
    lines: readonly string[],
    before: ReadonlyMap<string, Tail>,
    after = before,
    from?: Date,
  ) {
    const check = createStatementCheck(keys, createKeptHeads(), from);
    for (const each of lines) check.add(each);
    check.end();
    const flaws = checkTails(check, { before, after }, from);
    return flaws.map(({ kind, subject, detail }) => `${kind} ${subject}: ${detail}`);
  }

  it("is the newest statement that the database says was shipped", () => {
    expect(tailsOf([], none)).toEqual([]);
    expect(tailsOf([first, second], payouts(tail(2, hashOf(second))))).toEqual([]);
    expect(tailsOf([], payouts(tail(0, "")))).toEqual([]);
  });

  it("may be one that is being shipped, or was since the database was read", () => {
    expect(tailsOf([first, second], payouts(tail(1, hashOf(first), 2)))).toEqual([]);
    const [before, after] = [payouts(tail(1, hashOf(first))), payouts(tail(2, hashOf(second)))];
    expect(tailsOf([first, second], before, after)).toEqual([]);
    expect(tailsOf([first], before, after)).toEqual([]);
  });

  it("that was cut off, or replaced, is named", () => {
    const cut = [
      "cut statement 2: is not there; the database says that it was shipped at 2026-11-23T10:00:01.000Z",
    ];
    const before = payouts(tail(2, hashOf(second)));
    expect(tailsOf([first], before)).toEqual(cut);
    expect(tailsOf([], before)).toEqual(cut);
    const other = line({ number: 2, previous: hashOf(first), heads: [["audit", 4, "x"]] });
    expect(tailsOf([first, other], before)).toEqual(cut);
  });

  it("that its database does not know is named", () => {
    const ahead = (last: number) => [
      `cut statement 2: was shipped at 2026-11-23T10:00:00.000Z; the database says that ${last} was the last one`,
    ];
    expect(tailsOf([first, second], none)).toEqual(ahead(0));
    expect(tailsOf([first, second], payouts(tail(1, hashOf(first))))).toEqual(ahead(1));
  });

  it("of before a restored backup is left out", () => {
    const from = new Date("2026-11-23T12:00:00Z");
    expect(tailsOf([first, second], payouts(tail(1, hashOf(first))), undefined, from)).toEqual([]);
    expect(tailsOf([], payouts(tail(2, hashOf(second))), undefined, from)).toEqual([]);
  });
});
