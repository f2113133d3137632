import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Drawn, drawnBy, type MerchantScenario } from "./scenarios.ts";

/** A temporary fault that rails simulate for a merchant's payouts. */
export type Silence = "no_answer" | "down" | "unfunded";

type ScenarioDocument = {
  _id: string;
  schema_version: number;
  silence?: { kind: Silence; until: Date };
  /** The merchant's scenario. `drawn` is the number of payouts that have used it. */
  scenario?: MerchantScenario & { drawn: number };
};

export type SandboxScenarios = Awaited<ReturnType<typeof openSandboxScenarios>>;

/**
 * The maximum number of merchants with scenarios. A sandbox has few merchants, and scenarios beyond
 * this number are ignored.
 */
const merchantsMax = 10_000;

/**
 * Opens the sandbox scenarios of merchants. A process keeps all of them in memory, so payouts need
 * no database read. `refresh` loads changes by other processes.
 */
export async function openSandboxScenarios({ db }: Database, clock: Clock) {
  const scenarios = db.collection<ScenarioDocument>("sandbox_scenarios");
  let known = new Map<string, ScenarioDocument>();
  const change = async (merchantId: string, update: object): Promise<void> => {
    const changed = await scenarios.findOneAndUpdate({ _id: merchantId }, update, {
      upsert: true,
      returnDocument: "after",
    });
    if (changed !== null) known.set(merchantId, changed);
  };
  const refresh = async (): Promise<void> => {
    const found = await scenarios.find().limit(merchantsMax).toArray();
    known = new Map(found.map((each) => [each._id, each]));
  };
  await refresh();
  return {
    refresh,
    /** Returns the fault that currently applies to a merchant's payouts. */
    silenceOf: (merchantId: string): Silence | undefined => {
      const silence = known.get(merchantId)?.silence;
      return silence !== undefined && clock.now() < silence.until ? silence.kind : undefined;
    },
    setSilence: (merchantId: string, silence: { kind: Silence; until: Date } | undefined) =>
      change(merchantId, {
        ...(silence === undefined ? { $unset: { silence: "" } } : { $set: { silence } }),
        $setOnInsert: { schema_version: 1 },
      }),
    setScenario: (merchantId: string, scenario: MerchantScenario) =>
      change(merchantId, {
        $set: { scenario: { ...scenario, drawn: 0 } },
        $setOnInsert: { schema_version: 1 },
      }),
    draws: (merchantId: string): boolean => known.get(merchantId)?.scenario !== undefined,
    /** Counts a merchant's next payout and draws its scenario. */
    draw: async (merchantId: string): Promise<Drawn | undefined> => {
      const counted = await scenarios.findOneAndUpdate(
        { _id: merchantId, "scenario.drawn": { $gte: 0 } },
        { $inc: { "scenario.drawn": 1 } },
        { returnDocument: "after" },
      );
      return counted?.scenario && drawnBy(counted.scenario, counted.scenario.drawn);
    },
  };
}
