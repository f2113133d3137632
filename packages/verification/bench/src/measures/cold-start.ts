import type { ColdStartFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls } from "../load/load-process.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { untilSettled } from "./money.ts";
import { median, rounded } from "./percentile.ts";

/** How often the services are started anew. */
const rounds = 3;

/** Ends the services and starts them again, with nothing compiled or connected. */
export async function measureColdStart(
  load: Child<LoadCalls>,
  platform: BenchPlatform,
): Promise<ColdStartFigures> {
  const samples = { ready: [] as number[], quote: [] as number[], execute: [] as number[] };
  const once = { name: platform.name, concurrency: 1, end: { requests: 1 } } as const;
  for (let round = 0; round < rounds; round += 1) {
    await platform.stop();
    const startedAt = performance.now();
    await platform.startAll();
    samples.ready.push(performance.now() - startedAt);
    samples.quote.push((await load.call("run", { ...once, scenario: "quote" })).p50_ms);
    samples.execute.push((await load.call("run", { ...once, scenario: "execute" })).p50_ms);
    await untilSettled(platform);
  }
  return {
    ready_ms: rounded(median(samples.ready), 0),
    first_quote_ms: rounded(median(samples.quote), 0),
    first_execute_ms: rounded(median(samples.execute), 0),
  };
}
