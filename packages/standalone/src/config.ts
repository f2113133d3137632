import { join } from "node:path";
import { logLevels } from "@disburse/chassis/log.ts";
import {
  countSetting,
  type Environment,
  portSetting,
  readSettings,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The settings of `npm start`; README.md lists them. */
export function readConfig(environment: Environment, root: string) {
  const settings = readSettings(environment, {
    HOST: z.string().default("127.0.0.1"),
    PORT: portSetting.default(8080),
    DATA_DIR: z.string().default(join(root, ".data")),
    LOG_LEVEL: z.enum(logLevels).optional(),
    LOG_FORMAT: z.enum(["pretty", "json"]).optional(),
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
  });
  return { ...settings, passedOn: passedOn(environment) };
}

/** Settings of single services that `npm start` hands through as they are. */
const handedThrough = [
  "LIST_SOURCES",
  "QUOTE_TTL_SECONDS",
  "RATE_LIMIT_PER_SECOND",
  "RATE_LIMIT_BURST",
  "SANDBOX_DELAY",
  "SANDBOX_SCENARIOS",
  "SANDBOX_SEED",
  "WEBHOOK_SIGNATURE_HEADER",
  "WEBHOOK_SOURCE_ADDRESS",
  "WEBHOOK_VERIFY_URLS",
] as const;

function passedOn(environment: Environment): Environment {
  const present = handedThrough.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(present);
}
