import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { didYouMean } from "@disburse/kernel/nearest.ts";
import { CommandError, usageError } from "../output/failure.ts";
import { type ServiceName, serviceNames } from "../session/target.ts";
import type { Command, OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** Entries of one page: the most that a service gives. */
const pageSize = 1_000;

/** The last entry of a service that an export has. */
type Mark = { readonly sequence: bigint; readonly hash: string };

/** Where lines go. */
type Destination = {
  /** Of what is there already, by service. */
  readonly marks: ReadonlyMap<string, Mark>;
  readonly write: (lines: string) => Promise<void> | void;
  readonly close: () => Promise<void> | void;
};

/** The audit trails for a SIEM. */
const auditExportCommand: OwnCommand = {
  name: "audit export",
  summary: "every entry of every service's audit trail, as JSON lines, oldest first",
  details:
    "For auditors and approvers. A file of --out is continued: the same command again adds what\n" +
    "has come since, also after one that was cut off. It fails where an entry was changed or\n" +
    "removed, or the trail is another one than was exported before.",
  examples: ["audit export --out audit.jsonl", "audit export --service payout --after 4200"],
  options: [
    { name: "service", value: "name", choices: serviceNames, about: "of this service alone" },
    { name: "after", value: "number", about: "after this entry of the service" },
    { name: "out", value: "file", about: "write to this file, and go on where it ends" },
  ],
  run: exportTrails,
};

const columns = ["sequence", "created_at", "actor.id", "action", "detail"];

/** What people did, from the audit trails. */
export const auditCommands: readonly Command[] = [
  {
    name: "audit list",
    summary: "what people did to payouts, rails and limits, newest first",
    details: "It fails where an entry was changed or removed.",
    examples: ["audit list", "audit list --subject po_01k…"],
    method: PayoutOperationsService.method.listAuditEntries,
    options: [{ name: "subject", field: "subject", about: "to this payout, rail or merchant" }],
    show: { list: "entries", columns: [...columns.slice(0, 4), "subject", "detail"] },
  },
  {
    name: "audit reviews",
    summary: "what people decided about alerts, newest first",
    details: "It fails where an entry was changed or removed.",
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
  throw usageError(`--service: "${chosen}" is none of ${known}`);
}

/** What `--after` says: a number of one service's trail. */
function firstMark(invocation: Invocation, path: string | undefined): Mark {
  const after = invocation.text("--after");
  if (after === undefined) return { sequence: 0n, hash: "" };
  if (!/^\d{1,15}$/.test(after))
    throw usageError(`--after: "${after}" is not the number of an entry`);
  if (invocation.text("--service") === undefined) {
    throw usageError("--after: needs --service, for each service counts its own entries");
  }
  if (path !== undefined) {
    throw usageError("--after: a file of --out is continued after its own last entries");
  }
  return { sequence: BigInt(after), hash: "" };
}

/** Page after page, each after the one before; what was written stays where a page fails. */
async function exportTrail(
  { calls }: Invocation,
  service: ServiceName,
  first: Mark,
  destination: Destination,
) {
  const { exportAuditEntries } = AuditService.method;
  let [count, last] = [0, first];
  for (;;) {
    const asked = { after: last.sequence, limit: pageSize };
    const { jsonLines, lastSequence } = await calls.call(exportAuditEntries, asked, service);
    if (jsonLines === "") return { count, last };
    const lines = jsonLines.trimEnd().split("\n");
    assertFollows(service, last, lines[0] ?? "");
    await destination.write(jsonLines);
    count += lines.length;
    last = { sequence: lastSequence, hash: String(JSON.parse(lines.at(-1) ?? "{}").hash) };
  }
}

/** A trail that was written anew since does not go on from what was exported. */
function assertFollows(service: string, { sequence, hash }: Mark, line: string): void {
  if (hash === "" || JSON.parse(line).previous_hash === hash) return;
  const problem = `the trail of ${service} is another one: entry ${sequence} was exported otherwise`;
  throw new CommandError(problem, { exit: "failed", code: "audit_trail_changed" });
}

/** A file that is begun, or continued after its last whole line. */
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
    // What a killed export left of a line comes again; a file of another kind stays as it is.
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

/** Nothing of what is no JSON. */
function parsed(line: string) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
