import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { listImport } from "@disburse/commands/commands/compliance.ts";
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
    compareOnly: invocation.has("--compare"),
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
    yield { part: { case: "end", value: true } };
  }
  const client = createClient(ComplianceService, calls.transport("compliance"));
  const answer = await client.importList(parts(), { timeoutMs: importTimeoutMs });
  invocation.record(plainOf(ComplianceService.method.importList.output, answer));
}

export const listImportCommands: readonly OwnCommand[] = [
  { ...listImport, isChange: true, run: importList },
];
