import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { Db, type MongoClient } from "mongodb";
import { expect, it, vi } from "vitest";
import { databaseClock } from "./clock.ts";
import { connectDatabase } from "./database.ts";

it.each([
  // The wire versions of MongoDB 7.0, the last one before 8.0, and of 8.0.
  [21, "the database is older than MongoDB 8.0"],
  [24, "the database is older than MongoDB 8.0"],
  [25, undefined],
])("takes a database of MongoDB 8.0 or later: wire version %i", async (maxWireVersion, refusal) => {
  vi.spyOn(Db.prototype, "command").mockResolvedValueOnce({ maxWireVersion });
  let isClosed = false;
  const watch = (client: MongoClient) => {
    client.once("topologyClosed", () => {
      isClosed = true;
    });
  };
  const connecting = connectDatabase(mongodbUri("versions"), "versions", { watch });
  if (refusal === undefined) await (await connecting).close();
  else await expect(connecting).rejects.toThrow(refusal);
  expect(isClosed).toBe(true);
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
