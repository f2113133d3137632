import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  ComplianceReviewService,
  ExportAlertRequest_Format as Format,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { usageError } from "../output/failure.ts";
import type { Command } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

const review = ComplianceReviewService.method;
const out = {
  name: "out",
  value: "file",
  about: "write to this new file",
  isRequired: true,
} as const;

/** Commands that write a file of a case. */
export const caseCommands: readonly Command[] = [
  {
    name: "alerts get-file",
    summary: "write a file of an alert to a new file",
    details: "The audit trail records each read.",
    examples: ["alerts get-file fil_01k… --out passport.pdf"],
    arguments: [{ name: "file", about: "the file's id, fil_…" }],
    options: [out],
    run: async (invocation) => {
      const request = { fileId: invocation.required("<file>") };
      const { content } = await invocation.calls.call(review.getAlertFile, request);
      await write(invocation, content);
    },
  },
  {
    name: "alerts export",
    summary: "write the whole case of an alert to a new file, for a regulator",
    details:
      "JSON has all data. PDF is for people, and has the JSON attached. The audit trail records\n" +
      "each export.",
    examples: ["alerts export alr_01k… --format pdf --out case.pdf"],
    arguments: [{ name: "alert", about: "the alert's id, alr_…" }],
    options: [
      { name: "format", about: "the format", choices: ["json", "pdf"], isRequired: true },
      out,
    ],
    run: async (invocation) => {
      const format = invocation.required("--format") === "pdf" ? Format.PDF : Format.JSON;
      const request = { alertId: invocation.required("<alert>"), format };
      const { content } = await invocation.calls.call(review.exportAlert, request);
      await write(invocation, content);
    },
  },
];

/** Personal data: only the user may read the file. An existing file is not replaced. */
async function write(invocation: Invocation, content: Uint8Array): Promise<void> {
  const path = invocation.required("--out");
  const options = { flag: "wx", mode: 0o600 };
  await writeFile(resolve(invocation.world.folder, path), content, options).catch(
    (error: Error) => {
      throw usageError(`${path}: ${error.message}`);
    },
  );
  invocation.note(`${path}: ${content.length} bytes`);
}
