import type { Command } from "./command.ts";

/** A group of commands: `merchants`. */
export type Group = { readonly name: string; readonly summary: string };

/** The command line: what there is, and the version that it says. */
export type CommandLine = {
  readonly groups: readonly Group[];
  readonly commands: readonly Command[];
  readonly version: string;
};
