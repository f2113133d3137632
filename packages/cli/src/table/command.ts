import {
  type CallCommand,
  changes,
  type Described,
  hasPages,
} from "@disburse/commands/table/command.ts";
import type { Invocation } from "./invocation.ts";

export type OwnCommand = Described & {
  /** Adds `--dry-run` and `--operation-id`. */
  readonly isChange?: boolean;
  /** True if the command calls no service and therefore runs without a platform. */
  readonly isLocal?: boolean;
  readonly run: (invocation: Invocation) => Promise<void>;
};

export type Command = CallCommand | OwnCommand;

export const isChange = (command: Command): boolean =>
  "run" in command ? (command.isChange ?? false) : changes(command);

export const isPaged = (command: Command): boolean => !("run" in command) && hasPages(command);
