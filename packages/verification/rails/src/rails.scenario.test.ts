import { say } from "@disburse/harness/command-line.ts";
import { countOption, judge, skipBecause } from "@disburse/harness/scenario.ts";
import { afterAll, test } from "vitest";
import type { RailOptions } from "./case.ts";
import { bankCases, testBanks } from "./cases/banks.ts";
import { bitcoinCrashes } from "./cases/bitcoin.ts";
import { chainCrashes } from "./cases/chain.ts";
import { invariants } from "./cases/invariants.ts";
import { largeFiles } from "./cases/large.ts";
import { solanaCrashes } from "./cases/solana.ts";
import { startWorld, type World } from "./world.ts";

/** `npm run test:rails`: README.md describes the cases. */

const options: RailOptions = {
  perGap: countOption("per-gap", 1),
  large: countOption("large", 10_000),
  seed: countOption("seed", 1),
};

const ends = new AsyncDisposableStack();
let world: World | undefined;
afterAll(() => ends.disposeAsync());

const cases = [chainCrashes, bitcoinCrashes, solanaCrashes, ...bankCases, largeFiles];
test.for(cases)("$name", async (each, test) => {
  skipBecause(test, each.unavailable());
  world ??= await startWorld(ends, testBanks(options.large));
  say(`\n── ${each.name}: ${each.about}`);
  for await (const verdict of each.run(world, options)) judge([verdict]);
});

test("invariants", async (test) => {
  if (world === undefined) skipBecause(test, "no case before it was tried");
  else for await (const verdict of invariants(world)) judge([verdict]);
});
