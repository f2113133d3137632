import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectDatabase, type Database } from "./database.ts";
import { setAtRevision } from "./revision.ts";

type Row = { _id: string; revision: number; text: string; list: string[]; kept: string };

let database: Database;
beforeAll(async () => {
  const name = freshDatabase("revision");
  database = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const rows = () => database.db.collection<Row>("rows");

it("sets fields and raises the revision, if that is as it was read", async () => {
  const row = { _id: "1", revision: 7, text: "a", list: ["x"], kept: "k" };
  await rows().insertOne(row);
  // These are no expressions or variables of the database.
  const fields = { text: "$kept", list: ["$$ROOT", "$kept"] };
  expect(await setAtRevision(rows(), row, fields)).toBe(true);
  const after = { ...row, ...fields, revision: 8 };
  expect(await rows().findOne({ _id: "1" })).toEqual(after);
  expect(await setAtRevision(rows(), row, { text: "late" })).toBe(false);
  expect(await setAtRevision(rows(), { _id: "1", revision: 9 }, { text: "early" })).toBe(false);
  expect(await setAtRevision(rows(), { _id: "none", revision: 0 }, { text: "b" })).toBe(false);
  expect(await rows().find().toArray()).toEqual([after]);
});

it("lets one of many at once write, in one batch or in several", async () => {
  const row = { _id: "2", revision: 0, text: "", list: [], kept: "" };
  await rows().insertOne(row);
  const tries = Array.from({ length: 20 }, (_, at) =>
    setAtRevision(rows(), row, { text: `${at}` }),
  );
  const written = (await Promise.all(tries)).flatMap((isWritten, at) => (isWritten ? [at] : []));
  expect(written).toHaveLength(1);
  expect(await rows().findOne({ _id: "2" })).toMatchObject({ revision: 1, text: `${written[0]}` });
});
