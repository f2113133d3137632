import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import type { Column } from "../output/print.ts";
import type { Invocation } from "./invocation.ts";

/** A positional argument: `<merchant>`. */
export type Argument = {
  readonly name: string;
  readonly about: string;
  /**
   * The path of the request's field that it fills: `merchant_id`, `subject.record_id`. In
   * `outcomes.*.payout_id`, each value fills the field of an item of its own.
   */
  readonly field?: string;
  readonly isOptional?: boolean;
  /** Takes all that follow. */
  readonly isMany?: boolean;
};

/** An option: `--reason <text>`. */
export type Option = {
  /** Without its two dashes. */
  readonly name: string;
  readonly about: string;
  /** As an argument's. In `outcomes.*.outcome`, the value fills the field of each item. */
  readonly field?: string;
  /** The placeholder of its value; an option without a value where this is "". */
  readonly value?: string;
  readonly isRequired?: boolean;
  /** May be given more than once. */
  readonly isMany?: boolean;
  readonly choices?: readonly string[];
  /** The value is a path: the file's bytes fill the field. */
  readonly isFile?: boolean;
};

/** What every command says of itself. */
type Described = {
  /** `merchants create`. */
  readonly name: string;
  /** One line of the list of commands. */
  readonly summary: string;
  /** What is worth knowing beside. */
  readonly details?: string;
  /** Command lines, without `disburse`. */
  readonly examples: readonly string[];
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
};

/** What of an answer people see. */
export type Shown =
  /** A list of the answer, as a table. */
  | { readonly list: string; readonly columns: readonly Column[] }
  /** A field of the answer, or all of it where the name is "". */
  | { readonly record: string };

/** A command that is one call of an RPC. */
export type CallCommand = Described & {
  readonly method: DescMethodUnary;
  /** What the request always has. */
  readonly fixed?: JsonObject;
  /** A file with the rest of the request: its argument's name, and how it is read. */
  readonly file?: { readonly argument: string; readonly read: (text: string) => JsonObject };
  /** The request's field with a merchant that has to be registered before anything is changed. */
  readonly registered?: string;
  readonly show: Shown;
};

/** A command of its own code. */
export type OwnCommand = Described & {
  /** Has `--dry-run` and `--operation-id`. */
  readonly isChange?: boolean;
  /** Calls no service, so that it needs no platform. */
  readonly isLocal?: boolean;
  readonly run: (invocation: Invocation) => Promise<void>;
};

/** A command of the command line. */
export type Command = CallCommand | OwnCommand;

/** Whether a command changes something. */
export function isChange(command: Command): boolean {
  if ("run" in command) return command.isChange ?? false;
  return command.method.input.fields.some(({ name }) => name === "mutation");
}

/** Whether a command's answers come in pages. */
export function isPaged(command: Command): boolean {
  if ("run" in command) return false;
  const has = (fields: readonly { name: string }[], wanted: string) =>
    fields.some(({ name }) => name === wanted);
  const { input, output } = command.method;
  return has(input.fields, "cursor") && has(output.fields, "next_cursor");
}
