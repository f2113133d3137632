import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../rpc/refusal.ts";
import type { AuditStore } from "./store.ts";
import type { AuditEntry } from "./trail.ts";

/** A page stays under 1 MB: a line has some 700 bytes, and 1,000 characters of detail at most. */
const limitMax = 1_000;
const limitDefault = 100;

/** The RPCs of a service's own audit trail. */
export function auditRpc(
  service: string,
  audit: Pick<AuditStore<string>, "after">,
): ServiceImpl<typeof AuditService> {
  return {
    exportAuditEntries: async ({ after, limit }) => {
      const problems = [
        ...(after < 0n || after > BigInt(Number.MAX_SAFE_INTEGER) ? ["after: must be from 0"] : []),
        ...(limit < 0 || limit > limitMax ? [`limit: must be 1 to ${limitMax}`] : []),
      ];
      if (problems.length > 0) orThrow(refused("INVALID_REQUEST", problems.join("; ")));
      const size = limit === 0 ? limitDefault : limit;
      const entries = await audit.after(Number(after), size);
      const lines = entries.map((entry) => `${jsonLine(service, entry)}\n`);
      return {
        jsonLines: lines.join(""),
        lastSequence: BigInt(entries.at(-1)?.sequence ?? Number(after)),
      };
    },
  };
}

/** An entry as systems that watch for incidents read it. */
function jsonLine(service: string, entry: AuditEntry): string {
  const { sequence, at, person, action, subject, operation, detail, call } = entry;
  return JSON.stringify({
    service,
    sequence,
    at: at.toISOString(),
    person,
    action,
    subject,
    operation,
    detail,
    ...(call && {
      caller: call.caller,
      roles: call.roles,
      rpc: call.rpc,
      merchant_id: call.merchantId,
      content: call.content,
      request_id: call.requestId,
      outcome: call.outcome,
    }),
    previous_hash: entry.previousHash,
    hash: entry.hash,
  });
}
