import {
  type DescMethod,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  getOption,
  type JsonObject,
} from "@bufbuild/protobuf";
import { access, RoleSchema } from "@disburse/contracts/disburse/type/v1/access_pb.ts";

/** The path of a column's value. Includes a title if the path isn't suitable as one. */
export type Column = string | readonly [path: string, title: string];

/** Returns a column's title: the last name of its path, in words. */
export const columnTitle = (column: Column): string =>
  typeof column === "string" ? (column.split(".").at(-1) ?? "").replaceAll("_", " ") : column[1];

export const columnPath = (column: Column): string =>
  typeof column === "string" ? column : column[0];

/** The list command whose rows are the possible values, and the paths of value and name in a row. */
export type Source = { readonly list: string; readonly value: string; readonly name?: string };

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
  readonly source?: Source;
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
  /** The value is a text that may have several lines. */
  readonly isText?: true;
  readonly choices?: readonly string[];
  /** The value is a path; the file's bytes fill the field. */
  readonly isFile?: boolean;
  readonly source?: Source;
};

/** A request field that the command line reads from a file. `*` in the path stands for each item. */
export type FileField = { readonly field: string; readonly about: string };

export type Described = {
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

/** The part of a response that is shown to people. */
export type Shown =
  /** A list of the response, shown as a table. */
  | { readonly list: string; readonly columns: readonly Column[] }
  /** A field of the response, or the whole response if the name is "". */
  | { readonly record: string };

/** An action or a read of operators, by one RPC. */
export type CallCommand = Described & {
  readonly method: DescMethodUnary;
  readonly fixed?: JsonObject;
  /** The rest of the request: an argument that names a file, the file's format, and its fields. */
  readonly file?: {
    readonly argument: string;
    readonly format: "limits" | "controls";
    readonly fields: readonly FileField[];
  };
  /**
   * Reads the record that the command changes, with the request fields that both have. The record's
   * fields are those of the request below the path `at`. If `record` is a list, the item is meant
   * whose fields `by` have the request's values. If `isPartial`, the command changes only the fields
   * that it is sent.
   */
  readonly current?: {
    readonly method: DescMethodUnary;
    readonly record: string;
    readonly at: string;
    readonly by?: readonly string[];
    readonly isPartial?: true;
  };
  /**
   * The request field with a merchant's id; the command fails if that merchant isn't registered.
   */
  readonly registered?: string;
  readonly show: Shown;
};

/** The part of a command from which its form and its request are made. */
export type RequestCommand = Omit<CallCommand, "method" | "show"> & {
  readonly method: Pick<DescMethod, "input">;
};

/** An action whose request is a stream: a header with the fields, then the bytes of files. */
export type UploadCommand = Described & {
  readonly method: DescMethodClientStreaming;
  /** The names of a format's files. Other formats have one file without a name. */
  readonly fileNames: Readonly<Record<string, readonly string[]>>;
};

type OfMethod = { readonly method: DescMethod };

export const changes = ({ method }: OfMethod): boolean =>
  method.methodKind !== "unary" || method.input.fields.some(({ name }) => name === "mutation");

export function hasPages({ method: { input, output } }: CallCommand): boolean {
  const has = (fields: readonly { name: string }[], wanted: string) =>
    fields.some(({ name }) => name === wanted);
  return has(input.fields, "cursor") && has(output.fields, "next_cursor");
}

/** Returns the roles whose operators may run a command, as the contract says: `treasury`. */
export function rolesOf({ method }: OfMethod): readonly string[] {
  return getOption(method, access).roles.map(
    (role) => RoleSchema.value[role]?.localName.toLowerCase() ?? "",
  );
}

/** Returns the service whose process serves a command: `payout`. */
export const serviceOf = ({ method }: Pick<CallCommand, "method">): string =>
  method.parent.typeName.split(".")[1] ?? "";
