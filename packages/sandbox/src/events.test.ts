import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { events } from "./events.ts";

const proto = join(import.meta.dirname, "../../../proto/disburse");

it("has every event of the contract, so that the broker's users may exchange it", () => {
  const files = readdirSync(proto, { recursive: true, encoding: "utf8" });
  const texts = files.filter((each) => each.endsWith(".proto"));
  const named = texts.flatMap((file) => {
    const text = readFileSync(join(proto, file), "utf8");
    const found = text.matchAll(/^message (\w+) \{\n\s+option \(disburse\.type\.v1\.event\)/gm);
    return [...found].map(([, name]) => name);
  });
  expect(events.map(({ name }) => name).sort()).toEqual(named.sort());
});
