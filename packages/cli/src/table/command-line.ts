import type { Group } from "@disburse/commands/commands/all.ts";
import type { Command } from "./command.ts";

export type CommandLine = {
  readonly groups: readonly Group[];
  readonly commands: readonly Command[];
  readonly version: string;
};
