import type { Command } from "./command.ts";

export type Group = { readonly name: string; readonly summary: string };

export type CommandLine = {
  readonly groups: readonly Group[];
  readonly commands: readonly Command[];
  readonly version: string;
};
