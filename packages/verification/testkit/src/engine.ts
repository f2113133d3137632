import { randomBytes } from "node:crypto";
import { withDatabase } from "@disburse/embedded/engine.ts";
import { inject } from "vitest";
import type {} from "./global-setup.ts";

/** Connection string of the run's shared engine, for one database of the caller's own. */
export function mongodbUri(database: string): string {
  return withDatabase(inject("mongodbUri"), database);
}

/** A database name that no other test, run or machine has used. */
export function freshDatabase(label: string): string {
  return `test_${label}_${randomBytes(6).toString("hex")}`;
}
