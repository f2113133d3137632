import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { didYouMean } from "@disburse/kernel/nearest.ts";
import { CommandError, usageError } from "../output/failure.ts";
import { type ServiceName, serviceNames } from "../session/target.ts";
import type { Command, OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** Page size of audit reads. Services allow no larger pages. */
const pageSize = 1_000;

/** The last exported entry of a service. */
type Mark = { readonly sequence: bigint; readonly hash: string };

type Destination = {
  /** The last entry already written, by service. */
  readonly marks: ReadonlyMap<string, Mark>;
  readonly write: (lines: string) => Promise<void> | void;
  readonly close: () => Promise<void> | void;
};

/** Exports the audit trails for a SIEM. */
const auditExportCommand: OwnCommand = {
  name: "audit export",
  summary: "export the audit trails of all services as JSON lines, oldest first",
  details:
    "For auditors and approvers. Run the same command again to append new entries to the --out\n" +
    "file, also after an interruption. It fails if an entry was changed or removed, or if the\n" +
    "trail differs from the one exported before.",
  examples: ["audit export --out audit.jsonl", "audit export --service payout --after 4200"],
  options: [
    { name: "service", value: "name", choices: serviceNames, about: "only this service" },
    { name: "after", value: "number", about: "only entries after this number; needs --service" },
    { name: "out", value: "file", about: "append to this file" },
  ],
  run: exportTrails,
};

const columns = ["sequence", "created_at", "actor.id", "action", "detail"];

export const auditCommands: readonly Command[] = [
  {
    name: "audit list",
    summary: "operators' actions on payouts, rails and limits, newest first",
    details: "It fails if an entry was changed or removed.",
    examples: ["audit list", "audit list --subject po_01k…"],
    method: PayoutOperatorService.method.listAuditEntries,
    options: [{ name: "subject", field: "subject", about: "on this payout, rail or merchant" }],
    show: { list: "entries", columns: [...columns.slice(0, 4), "subject", "detail"] },
  },
  {
    name: "audit reviews",
    summary: "decisions about alerts, newest first",
    details: "It fails if an entry was changed or removed.",
    examples: ["audit reviews", "audit reviews --alert alr_01k…"],
    method: ComplianceReviewService.method.listReviewEntries,
    options: [{ name: "alert", field: "alert_id", about: "about this alert" }],
    show: { list: "entries", columns: [...columns.slice(0, 4), "alert_id", "detail"] },
  },
  auditExportCommand,
];

async function exportTrails(invocation: Invocation): Promise<void> {
  const { world } = invocation;
  const services = servicesOf(invocation.text("--service"));
  const path = invocation.text("--out");
  const from = firstMark(invocation, path);
  const destination: Destination =
    path === undefined
      ? { marks: new Map(), write: world.out, close: () => undefined }
      : await openFile(resolve(world.folder, path), path);
  try {
    for (const service of services) {
      const mark = destination.marks.get(service) ?? from;
      const { count, last } = await exportTrail(invocation, service, mark, destination);
      const entries = `${count} ${count === 1 ? "entry" : "entries"}`;
      invocation.note(`${service}: ${entries}, up to ${last.sequence}`);
    }
  } finally {
    await destination.close();
  }
}

function servicesOf(chosen: string | undefined): readonly ServiceName[] {
  if (chosen === undefined) return serviceNames;
  const found = serviceNames.filter((name) => name === chosen);
  if (found.length > 0) return found;
  const known = `${serviceNames.join(", ")}${didYouMean(chosen, serviceNames)}`;
  throw usageError(`--service: "${chosen}" is not one of ${known}`);
}

/** Returns the entry that `--after` names, or the start of the trail. */
function firstMark(invocation: Invocation, path: string | undefined): Mark {
  const after = invocation.text("--after");
  if (after === undefined) return { sequence: 0n, hash: "" };
  if (!/^\d{1,15}$/.test(after))
    throw usageError(`--after: "${after}" is not the number of an entry`);
  if (invocation.text("--service") === undefined) {
    throw usageError("--after: requires --service, because each service numbers its own entries");
  }
  if (path !== undefined) {
    throw usageError(
      "--after: cannot be used with --out, which continues after the file's last entries",
    );
  }
  return { sequence: BigInt(after), hash: "" };
}

/** Writes a trail page by page. If a page fails, the pages already written stay in the file. */
async function exportTrail(
  { calls }: Invocation,
  service: ServiceName,
  first: Mark,
  destination: Destination,
) {
  const { exportAuditEntries } = AuditService.method;
  let [count, last] = [0, first];
  for (;;) {
    const request = { after: last.sequence, limit: pageSize };
    const { jsonLines, lastSequence } = await calls.call(exportAuditEntries, request, service);
    if (jsonLines === "") return { count, last };
    const lines = jsonLines.trimEnd().split("\n");
    assertFollows(service, last, lines[0] ?? "");
    await destination.write(jsonLines);
    count += lines.length;
    last = { sequence: lastSequence, hash: String(JSON.parse(lines.at(-1) ?? "{}").hash) };
  }
}

/**
 * Fails if the next entry of the trail doesn't continue the hash chain of the last exported entry.
 */
function assertFollows(service: string, { sequence, hash }: Mark, line: string): void {
  if (hash === "" || JSON.parse(line).previous_hash === hash) return;
  const problem = `the trail of ${service} differs: entry ${sequence} was exported with another hash`;
  throw new CommandError(problem, { exit: "failed", code: "audit_trail_changed" });
}

/** Opens a new file, or continues an existing file after its last complete line. */
async function openFile(whole: string, path: string): Promise<Destination> {
  const marks = new Map<string, Mark>();
  const file = await open(whole, "a+", 0o600).catch((error: Error) => {
    throw usageError(`${path}: ${error.message}`);
  });
  try {
    let [rest, number, bytes] = ["", 0, 0];
    const options = { start: 0, encoding: "utf8", autoClose: false } as const;
    for await (const chunk of file.createReadStream(options)) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        number += 1;
        bytes += Buffer.byteLength(line) + 1;
        const { service, mark } = readLine(line, `${path}, line ${number}`);
        marks.set(service, mark);
      }
    }
    // An incomplete last line from an interrupted export is removed and written again. A file that
    // isn't an export is left unchanged.
    const isOther = number === 0 && rest !== "" && !rest.startsWith('{"service":');
    if (isOther) throw usageError(`${path}: is not an export of audit trails`);
    await file.truncate(bytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    marks,
    write: async (lines) => {
      await file.appendFile(lines);
      await file.sync();
    },
    close: () => file.close(),
  };
}

function readLine(line: string, where: string): { service: string; mark: Mark } {
  const { service, sequence, hash } = parsed(line);
  const isEntry = [service, hash].every((each) => typeof each === "string");
  if (isEntry && Number.isSafeInteger(sequence)) {
    return { service, mark: { sequence: BigInt(sequence), hash } };
  }
  throw usageError(`${where}: is not an entry of an audit trail`);
}

/** Returns an empty object for text that isn't JSON. */
function parsed(line: string) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
