import {
  type CallCommand,
  changes,
  type Described,
  hasPages,
} from "@disburse/commands/table/command.ts";
import { formats } from "../plan/controls.ts";
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

/** Returns what the help says about a command, with an example of its file. */
export function detailsOf(command: Command): string | undefined {
  const { details } = command;
  if ("run" in command || command.file === undefined) return details;
  const { example } = formats[command.file.format];
  return `The file is YAML or JSON:\n\n${example}${details === undefined ? "" : `\n\n${details}`}`;
}
