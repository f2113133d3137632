import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import type { Column } from "../output/print.ts";
import type { Invocation } from "./invocation.ts";

export type Argument = {
  readonly name: string;
  readonly about: string;
  /**
   * The path of the request field to fill: `merchant_id`, `subject.record_id`. A path with `*`,
   * such as `outcomes.*.payout_id`, puts each value into its own list item.
   */
  readonly field?: string;
  readonly isOptional?: boolean;
  /** Takes all remaining arguments. */
  readonly isMany?: boolean;
};

export type Option = {
  readonly name: string;
  readonly about: string;
  /**
   * The path has the same format as an argument's `field`. In `outcomes.*.outcome`, one value fills
   * every item.
   */
  readonly field?: string;
  /** The placeholder in the help text; "" for an option without a value. */
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly isMany?: boolean;
  readonly choices?: readonly string[];
  /** The value is a path; the file's bytes fill the field. */
  readonly isFile?: boolean;
};

type Described = {
  /** Group and command: `merchants create`. */
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  readonly details?: string;
  /** Command lines without the leading `disburse`. */
  readonly examples: readonly string[];
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
};

/** The part of a response that is printed for people. */
export type Shown =
  /** Prints a list of the response as a table. */
  | { readonly list: string; readonly columns: readonly Column[] }
  /** Prints a field of the response, or the whole response if the name is "". */
  | { readonly record: string };

export type CallCommand = Described & {
  readonly method: DescMethodUnary;
  readonly fixed?: JsonObject;
  /** The argument that names a file with the rest of the request, and the parser of that file. */
  readonly file?: { readonly argument: string; readonly read: (text: string) => JsonObject };
  /**
   * The request field with a merchant's id; the command fails if that merchant isn't registered.
   */
  readonly registered?: string;
  readonly show: Shown;
};

export type OwnCommand = Described & {
  /** Adds `--dry-run` and `--operation-id`. */
  readonly isChange?: boolean;
  /** True if the command calls no service and therefore runs without a platform. */
  readonly isLocal?: boolean;
  readonly run: (invocation: Invocation) => Promise<void>;
};

export type Command = CallCommand | OwnCommand;

export function isChange(command: Command): boolean {
  if ("run" in command) return command.isChange ?? false;
  return command.method.input.fields.some(({ name }) => name === "mutation");
}

export function isPaged(command: Command): boolean {
  if ("run" in command) return false;
  const has = (fields: readonly { name: string }[], wanted: string) =>
    fields.some(({ name }) => name === wanted);
  const { input, output } = command.method;
  return has(input.fields, "cursor") && has(output.fields, "next_cursor");
}
