import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import {
  ComplianceService,
  type ImportListRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { usageError } from "../output/failure.ts";
import { plainOf } from "../output/plain.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** The largest lists take minutes to be read and indexed. */
const importTimeoutMs = 600_000;

type Part = MessageInitShape<typeof ImportListRequestSchema>;
type ListFile = { readonly name: string; readonly path: string };

/** `primary=sdn.csv`; a path alone is the only file of its list. */
async function readFiles(invocation: Invocation): Promise<ListFile[]> {
  const files = invocation.many("<files>").map((text) => {
    const [, name = "", path = ""] = /^(?:([a-z_]+)=)?(.+)$/s.exec(text) ?? [];
    return { name, path: resolve(invocation.world.folder, path) };
  });
  if (files.length > 1 && files.some(({ name }) => name === "")) {
    throw usageError("<files>: each of several needs its name: primary=sdn.csv");
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
    const asked = { mutation: calls.mutation(), list, version, format_name, accept_drop_reason };
    invocation.record({
      rpc,
      request: { header: asked, files: files.map((each) => ({ ...each })) },
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

/** A list from files: one call with a stream. */
export const listImportCommands: readonly OwnCommand[] = [
  {
    name: "lists import",
    summary: "replace a sanctions list by files, in one step",
    details:
      "What the list no longer has stays in force until another person approves its removal: see\n" +
      "approvals list. A list that loses or replaces more than 2 % of what it is found by, or whose\n" +
      "files look incomplete (OFAC without aliases or cut), is refused, unless --accept-drop says\n" +
      "why; another person then has to approve incomplete files: exit code 3.",
    examples: [
      "lists import internal internal.jsonl --list-version 2026-11-20",
      "lists import ofac_sdn primary=sdn.csv alternates=alt.csv --list-version 2026-11-20 --format ofac_csv",
    ],
    arguments: [
      { name: "list", about: "the list's name: ofac_sdn" },
      { name: "files", about: "its file, or several as name=path", isMany: true },
    ],
    options: [
      { name: "list-version", about: "the publisher's name of this state", isRequired: true },
      { name: "format", about: "json_lines if left out; ofac_csv, un_xml, eu_csv, uk_csv, …" },
      { name: "accept-drop", value: "reason", about: "why it may lose so much" },
    ],
    isChange: true,
    run: importList,
  },
];
