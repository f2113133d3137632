import { mongodbUri } from "@disburse/testkit/engine.ts";
import { Db } from "mongodb";
import { expect, it, vi } from "vitest";
import { connectDatabase } from "./database.ts";

it("refuses a database older than MongoDB 8.0", async () => {
  // MongoDB 7.0's.
  vi.spyOn(Db.prototype, "command").mockResolvedValueOnce({ maxWireVersion: 21 });
  const connecting = connectDatabase(mongodbUri("too_old"), "too_old");
  await expect(connecting).rejects.toThrow("the database is older than MongoDB 8.0");
});
