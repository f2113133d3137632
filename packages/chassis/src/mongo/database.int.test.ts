import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { Db, MongoClient } from "mongodb";
import { afterAll, describe, expect, it, vi } from "vitest";
import { databaseClock } from "./clock.ts";
import { connectDatabase, databaseOf } from "./database.ts";

it.each([
  // The wire versions of MongoDB 5.0, 6.0, 7.0, the last one before 8.0, and 8.0.
  [13, "the database must be MongoDB 6.0 or later"],
  [16, "the database must be MongoDB 6.0 or later"],
  [17, false],
  [21, false],
  [24, false],
  [25, true],
])(
  "takes MongoDB 6.0 or later, in batches 8.0 or later: wire version %i",
  async (maxWireVersion, taken) => {
    vi.spyOn(Db.prototype, "command").mockResolvedValueOnce({ maxWireVersion });
    let isClosed = false;
    const watch = (client: MongoClient) => {
      client.once("topologyClosed", () => {
        isClosed = true;
      });
    };
    const connecting = connectDatabase(mongodbUri("versions"), "versions", { watch });
    if (typeof taken === "string") await expect(connecting).rejects.toThrow(taken);
    else {
      const { isBulk, close } = await connecting;
      expect(isBulk).toBe(taken);
      await close();
    }
    expect(isClosed).toBe(true);
  },
);

type Named = { readonly _id: string; readonly name?: string };

describe("an insert into several collections of a server without bulk writes", () => {
  const name = freshDatabase("in_turn");
  const client = new MongoClient(mongodbUri(name));
  const { db, bulkInsert } = databaseOf(client, name, { isBulk: false });
  const idsOf = async (collection: string) =>
    (await db.collection(collection).distinct("_id")).sort();
  const rows = (...ids: string[]) => ids.map((_id): Named => ({ _id }));

  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  it("is in order, and stops at the first key that is there", async () => {
    const bulk = vi.spyOn(client, "bulkWrite");
    expect(
      await bulkInsert([
        { collection: "none", documents: [] },
        { collection: "events", documents: rows("a", "b") },
        { collection: "deliveries", documents: rows("c") },
      ]),
    ).toBe(true);
    expect(
      await bulkInsert([
        { collection: "events", documents: rows("d", "b", "e") },
        { collection: "deliveries", documents: rows("f") },
      ]),
    ).toBe(false);
    expect(await idsOf("events")).toEqual(["a", "b", "d"]);
    expect(await idsOf("deliveries")).toEqual(["c"]);
    expect(bulk).not.toHaveBeenCalled();
  });

  it("does not report another failure as a duplicate key", async () => {
    await db.createCollection("checked", { validator: { name: { $exists: true } } });
    const inserting = bulkInsert([{ collection: "checked", documents: rows("a") }]);
    await expect(inserting).rejects.toMatchObject({ code: 121 });
  });
});

it("waits for its time limits, and needs a majority", async () => {
  const name = freshDatabase("options");
  const clients: MongoClient[] = [];
  const watch = (client: MongoClient) => void clients.push(client);
  const database = await connectDatabase(mongodbUri(name), name, { watch });
  try {
    expect(clients.map(({ options }) => options)).toMatchObject([
      {
        ...{ appName: name, ignoreUndefined: true, socketTimeoutMS: 8_000 },
        ...{ serverSelectionTimeoutMS: 4_000, connectTimeoutMS: 4_000 },
        writeConcern: { w: "majority", journal: true, wtimeoutMS: 5_000 },
        readConcern: { level: "majority" },
        readPreference: { mode: "primary" },
      },
    ]);
    const clock = await databaseClock(database);
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(5_000);
    const command = vi.spyOn(Db.prototype, "command");
    expect(await database.ready()).toBe(true);
    expect(command.mock.calls).toEqual([[{ ping: 1 }]]);
    command.mockRejectedValueOnce(new Error("no primary"));
    expect(await database.ready()).toBe(false);
    // The driver waits on: the probe does not.
    command.mockReturnValueOnce(new Promise(() => undefined));
    expect(await database.ready()).toBe(false);
  } finally {
    await database.close();
  }
});
