import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings } from "@disburse/chassis/service/settings.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { serviceStarts } from "@disburse/standalone/services.ts";

const at = (path: string) => join(import.meta.dirname, "..", path);
const read = (path: string) => readFileSync(at(path), "utf8");

/**
 * Returns the settings that prevent a service from starting. The service opens nothing before it
 * has read its settings.
 */
export async function refusedSettings(
  service: ServiceName,
  environment: Record<string, string | undefined>,
) {
  const error = await serviceStarts[service](environment).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SettingsError)) throw new Error(`${service} started`, { cause: error });
  const problems = error.message.replace("settings: ", "").split("; ");
  return problems.map((problem) => problem.split(":")[0]);
}

/** Settings that several services read, by the name of their constant. */
const sharedSettings = { approvalSettings, busSettings, sealingSettings };

/** Returns every setting of a service: from its config.ts and its settings files. */
export function settingsOf(service: ServiceName): Set<string> {
  const folder = `services/${service}/src`;
  const every = readdirSync(at(folder), { recursive: true, encoding: "utf8" });
  const beside = every.filter((file) => /[-/]setting\.ts$/.test(file));
  const source = ["config.ts", ...beside].map((file) => read(`${folder}/${file}`)).join("\n");
  const rails = service === "payout" ? railSettings() : [];
  const own = [...source.matchAll(/^\s*([A-Z][A-Z_]+):/gm)].map(([, name = ""]) => name);
  const used = Object.entries(sharedSettings).filter(([name]) => source.includes(name));
  const shared = used.flatMap(([, settings]) => Object.keys(settings));
  return new Set([...Object.keys(commonSettings), ...shared, ...rails, ...own]);
}

/** Returns the settings that rail packages add to the payout service. */
function railSettings(): string[] {
  return globSync("packages/*-rail/src/settings.ts", { cwd: at("") }).flatMap(
    (file) => /^export const setting = "(\w+)";$/m.exec(read(file))?.[1] ?? [],
  );
}
