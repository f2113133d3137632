import { verify } from "node:crypto";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeEach, expect, it } from "vitest";
import {
  generateServiceKey,
  readServiceKey,
  readTrustedKeys,
  trustedKeysText,
} from "../identity/keys.ts";
import { connectDatabase, type Database } from "../mongo/database.ts";
import { type ChainHead, statementHash } from "./heads.ts";
import { createShipping, type HeadSource } from "./shipping.ts";
import { openAuditStore } from "./store.ts";

const { privateText, publicJwk } = generateServiceKey("quote");
const key = readServiceKey(privateText);
const trusted = readTrustedKeys(trustedKeysText([publicJwk]));

const databases: Database[] = [];
let database: Database;
let lines: string[];
/** Runs after the sink has stored a line. */
let after: () => void;
beforeEach(async () => {
  const name = freshDatabase("shipping");
  database = await connectDatabase(mongodbUri(name), name);
  databases.push(database);
  lines = [];
  after = () => undefined;
});
afterAll(async () => {
  for (const each of databases) {
    await each.db.dropDatabase();
    await each.close();
  }
});

const sink = {
  append: async (line: string) => {
    lines.push(line);
    after();
  },
};
const clock = { now: () => new Date("2026-11-23T10:00:00Z") };
const shipping = (sources: readonly HeadSource[] = []) =>
  createShipping({
    ...{
      database,
      service: "quote",
      trustDomain: "disburse",
      key: () => key,
      sink,
      sources,
      clock,
    },
  });
let operations = 0;
const act = () =>
  openAuditStore<string>(database).append({
    ...{ at: new Date(0), person: "ada", action: "done", subject: "s", detail: "" },
    operation: `op-${++operations}`,
  });
const statements = () =>
  lines.map((line) => {
    const { statement, key_id, signature } = JSON.parse(line);
    const signed = Buffer.from(`disburse audit heads 1\n${statement}`);
    const publicKey = trusted.get(key_id)?.publicKey;
    if (publicKey === undefined) throw new Error("signed by a key of nobody");
    expect(verify(null, signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
    return { ...JSON.parse(statement), hash: statementHash(statement) };
  });

it("ships changes once, in a numbered chain of signed statements", async () => {
  const { ship, figures } = shipping();
  expect(await ship()).toBe(false);
  expect(lines).toEqual([]);
  await act();
  const second = await act();
  expect((await figures()).unshipped).toEqual([["audit", 2]]);
  await ship();
  await ship();
  const third = await act();
  await ship();
  const [one, two, ...others] = statements();
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    service: "quote",
    trust_domain: "disburse",
    number: 1,
    previous: "",
  });
  expect(one.heads).toEqual([["audit", 2, second.hash]]);
  expect(two).toMatchObject({ number: 2, previous: one.hash, heads: [["audit", 3, third.hash]] });
  expect((await figures()).unshipped).toEqual([["audit", 0]]);
});

it("ships the same line again after a crash between the sink and its note", async () => {
  await act();
  after = () => {
    throw new Error("killed");
  };
  await expect(shipping().ship()).rejects.toThrow("killed");
  after = () => undefined;
  await act();
  expect(await shipping().ship()).toBe(true);
  await shipping().ship();
  const [first, again, next] = statements();
  expect(again).toEqual(first);
  expect(next).toMatchObject({ number: 2, previous: first.hash });
  expect(lines).toHaveLength(3);
});

it("creates one statement if two processes assume that they have the lease", async () => {
  await act();
  await Promise.all([shipping().ship(), shipping().ship()]);
  await shipping().ship();
  expect(new Set(lines).size).toBe(1);
});

it("ships the heads of other chains, and notes those that were shipped", async () => {
  const noted: (readonly ChainHead[])[] = [];
  const head = { chain: "ledger/acc_1", sequence: 4, hash: "ab" };
  const source: HeadSource = {
    name: "ledger",
    changed: async () => (noted.length === 0 ? [head] : []),
    shipped: async (heads) => void noted.push(heads),
    unshipped: async () => 1 - noted.length,
  };
  const { ship, figures } = shipping([source]);
  expect((await figures()).unshipped).toEqual([
    ["audit", 0],
    ["ledger", 1],
  ]);
  await ship();
  expect(statements()[0]).toMatchObject({ heads: [["ledger/acc_1", 4, "ab"]] });
  expect(noted).toEqual([[head]]);
  expect(await ship()).toBe(false);
});

it("ships a trail that has become shorter, too", async () => {
  await act();
  await act();
  await shipping().ship();
  await database.db.collection<{ _id: number }>("audit_entries").deleteOne({ _id: 2 });
  expect((await shipping().figures()).unshipped).toEqual([["audit", 1]]);
  await shipping().ship();
  expect(statements().map(({ heads }) => heads[0][1])).toEqual([2, 1]);
});
