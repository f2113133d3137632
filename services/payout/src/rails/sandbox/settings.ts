import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Drawn, drawnBy, type MerchantScenario } from "./scenarios.ts";

/** How rails behave to a merchant's payouts for a time. */
export type Silence = "no_answer" | "down" | "unfunded";

/** What a merchant of a sandbox has set. */
type SettingsDocument = {
  /** The merchant. */
  _id: string;
  schema_version: number;
  silence?: { kind: Silence; until: Date };
  /** With the number of payouts that it decided on. */
  scenario?: MerchantScenario & { drawn: number };
};

/** What merchants of a sandbox have set of rails. */
export type SandboxSettings = Awaited<ReturnType<typeof openSandboxSettings>>;

/** A sandbox has few merchants; beyond this their settings are not known. */
const merchantsMax = 10_000;

/**
 * What merchants of a sandbox have set. A process has all of it in memory, so that a merchant
 * without settings costs nothing; it follows the others by `refresh`.
 */
export async function openSandboxSettings({ db }: Database, clock: Clock) {
  const settings = db.collection<SettingsDocument>("sandbox_settings");
  let known = new Map<string, SettingsDocument>();
  const change = async (merchantId: string, update: object): Promise<void> => {
    const changed = await settings.findOneAndUpdate({ _id: merchantId }, update, {
      upsert: true,
      returnDocument: "after",
    });
    if (changed !== null) known.set(merchantId, changed);
  };
  const refresh = async (): Promise<void> => {
    const found = await settings.find().limit(merchantsMax).toArray();
    known = new Map(found.map((each) => [each._id, each]));
  };
  await refresh();
  return {
    refresh,
    /** The silence of rails to a merchant's payouts now. */
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
    /** Whether a merchant has a scenario. */
    draws: (merchantId: string): boolean => known.get(merchantId)?.scenario !== undefined,
    /** What a merchant's next payout comes to. */
    draw: async (merchantId: string): Promise<Drawn | undefined> => {
      const counted = await settings.findOneAndUpdate(
        { _id: merchantId, "scenario.drawn": { $gte: 0 } },
        { $inc: { "scenario.drawn": 1 } },
        { returnDocument: "after" },
      );
      return counted?.scenario && drawnBy(counted.scenario, counted.scenario.drawn);
    },
  };
}
