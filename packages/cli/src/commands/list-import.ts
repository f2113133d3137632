import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { plainOf } from "@disburse/commands/table/plain.ts";
import {
  ComplianceService,
  type ImportListRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { usageError } from "../output/failure.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** The largest lists take minutes to read and index. */
const importTimeoutMs = 600_000;

type Part = MessageInitShape<typeof ImportListRequestSchema>;
type ListFile = { readonly name: string; readonly path: string };

/** Parses `primary=sdn.csv`. The name before `=` may be omitted for a list with only one file. */
async function readFiles(invocation: Invocation): Promise<ListFile[]> {
  const files = invocation.many("<files>").map((text) => {
    const [, name = "", path = ""] = /^(?:([a-z_]+)=)?(.+)$/s.exec(text) ?? [];
    return { name, path: resolve(invocation.world.folder, path) };
  });
  if (files.length > 1 && files.some(({ name }) => name === "")) {
    throw usageError("<files>: name each of several files: primary=sdn.csv");
  }
  for (const { path } of files) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) throw usageError(`there is no file ${path}`);
  }
  return files;
}

async function importList(invocation: Invocation): Promise<void> {
  const { calls } = invocation;
  const files = await readFiles(invocation);
  const header = {
    list: invocation.required("<list>"),
    version: invocation.required("--list-version"),
    formatName: invocation.text("--format") ?? "",
    acceptDropReason: invocation.text("--accept-drop") ?? "",
  };
  if (invocation.isDryRun) {
    const rpc = "disburse.compliance.v1.ComplianceService/ImportList";
    const { list, version, formatName: format_name, acceptDropReason: accept_drop_reason } = header;
    const fields = { mutation: calls.mutation(), list, version, format_name, accept_drop_reason };
    invocation.record({
      rpc,
      request: { header: fields, files: files.map((each) => ({ ...each })) },
    });
    return;
  }
  const mutation = fromJson(MutationSchema, calls.mutation());
  async function* parts(): AsyncGenerator<Part> {
    yield { part: { case: "header", value: { ...header, mutation } } };
    for (const { name, path } of files) {
      if (name !== "") yield { part: { case: "file", value: { name } } };
      for await (const bytes of createReadStream(path)) {
        yield { part: { case: "lines", value: bytes as Uint8Array<ArrayBuffer> } };
      }
    }
  }
  const client = createClient(ComplianceService, calls.transport("compliance"));
  const answer = await client.importList(parts(), { timeoutMs: importTimeoutMs });
  invocation.record(plainOf(ComplianceService.method.importList.output, answer));
}

export const listImportCommands: readonly OwnCommand[] = [
  {
    name: "lists import",
    summary: "replace a sanctions list with the content of files, in one step",
    details:
      "Entries that the new list lacks stay in force until another person approves their removal: see\n" +
      "`approvals list`. An import fails if it removes or replaces more than 2 % of the search keys,\n" +
      "or if the files look incomplete (truncated, or OFAC without aliases). --accept-drop permits\n" +
      "it; another person then has to approve incomplete files: exit code 3.",
    examples: [
      "lists import internal internal.jsonl --list-version 2026-11-20",
      "lists import ofac_sdn primary=sdn.csv alternates=alt.csv --list-version 2026-11-20 --format ofac_csv",
    ],
    arguments: [
      { name: "list", about: "the list's name: ofac_sdn" },
      { name: "files", about: "the list's file, or several as name=path", isMany: true },
    ],
    options: [
      { name: "list-version", about: "the publisher's version name", isRequired: true },
      { name: "format", about: "json_lines (default), ofac_csv, un_xml, eu_csv, uk_csv, …" },
      { name: "accept-drop", value: "reason", about: "the reason to permit such a loss" },
    ],
    isChange: true,
    run: importList,
  },
];
