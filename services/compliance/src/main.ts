import { runService, serviceStart } from "@disburse/chassis/service/start.ts";
import { readConfig } from "./config.ts";
import { migrations } from "./migrations.ts";
import { openCompliance } from "./wiring.ts";

export const start = serviceStart("compliance", readConfig, migrations, openCompliance);

if (import.meta.main) await runService("compliance", start);
