import { Code, ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type ImportListRequest,
  type ImportListRequest_Header,
  ListFormat,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import type { ImportRequest } from "../documents.ts";
import { listFormats } from "../formats/list-format.ts";
import type { FilePart } from "./files.ts";

const listName = /^[a-z0-9_-]{1,64}$/;
const versionName = /^[\x21-\x7e]{1,64}$/;
const reasonLength = { min: 10, max: 1_000 } as const;

export function isListName(text: string): boolean {
  return listName.test(text);
}

/** Validates the header that an import begins with. */
export function readImportHeader(
  header: ImportListRequest_Header,
): ImportRequest | Refused<"INVALID_REQUEST"> {
  const { operationId, actor } = readMutation(header.mutation);
  const violations: Violation[] = [];
  const report = (field: string, problem: string) =>
    violations.push({ field: `header.${field}`, problem });
  if (!isListName(header.list)) report("list", "must be 1 to 64 of a-z, 0-9, _ and -");
  if (!versionName.test(header.version)) report("version", "must be 1 to 64 printable characters");
  const format = formatOf(header);
  if (format === undefined) report("format", "is not known");
  const acceptDropReason = header.acceptDropReason.trim();
  if (acceptDropReason !== "") {
    const { min, max } = reasonLength;
    if (acceptDropReason.length < min || acceptDropReason.length > max) {
      report("accept_drop_reason", `must be ${min} to ${max} characters`);
    }
    if (actor.kind !== "operator")
      report("accept_drop_reason", "must be sent by a person, not a service");
  }
  if (format === undefined || violations.length > 0) {
    return refused("INVALID_REQUEST", violationsMessage(violations));
  }
  const { list, version } = header;
  return { list, version, format, acceptDropReason, operationId, actor, isPublished: false };
}

function formatOf({ format, formatName }: ImportListRequest_Header): string | undefined {
  if (formatName !== "") return listFormats.find((each) => each === formatName);
  return format === ListFormat.UNSPECIFIED ? "json_lines" : enumName(ListFormat, format);
}

/** Reads the header from an import's stream. Returns the header and the rest of the stream. */
export async function openImportStream(
  requests: AsyncIterable<ImportListRequest>,
): Promise<{ header: ImportListRequest_Header; parts: AsyncIterable<FilePart> }> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true || first.value.part.case !== "header") {
    throw new ConnectError(
      "the first message of an import must be the header",
      Code.InvalidArgument,
    );
  }
  return { header: first.value.part.value, parts: fileParts(messages) };
}

async function* fileParts(messages: AsyncIterator<ImportListRequest>): AsyncIterable<FilePart> {
  for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
    const { part } = next.value;
    if (part.case === "end" && part.value) return;
    if (part.case === "lines") yield { bytes: part.value };
    else if (part.case === "file") yield { file: part.value.name };
    else
      throw new ConnectError(
        "after the header, each message must contain a file name, lines or the end",
        Code.InvalidArgument,
      );
  }
  // A sender that disappears may look like one that has sent all.
  throw new ConnectError(
    "the stream broke off: the last message of an import must be `end`",
    Code.InvalidArgument,
  );
}
