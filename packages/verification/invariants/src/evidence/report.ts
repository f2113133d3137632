import type { Databases } from "../database-check.ts";
import type { SinkContents } from "./flaw.ts";
import { createKeptHeads } from "./kept-heads.ts";
import { createStatementCheck, type PublicKeys } from "./statements.ts";
import { checkTails, readTails } from "./tails.ts";
import { services, verifyEvidence } from "./verify.ts";

/** What a report is made of. */
export type EvidenceOptions = {
  readonly databases: Databases;
  readonly readSink: () => Promise<SinkContents>;
  readonly keys: PublicKeys;
  /** Statements of before are left out: after a restore, for instance. */
  readonly from?: Date;
};

/** Verifies databases against a sink; the report as a person reads it, and how much is wrong. */
export async function reportOn(options: EvidenceOptions) {
  const { databases, readSink, keys, from } = options;
  const before = await readTails(databases, services);
  const sink = await readSink();
  const after = await readTails(databases, services);
  const heads = createKeptHeads();
  const statements = createStatementCheck(keys, heads, from);
  for (const line of sink.lines) statements.add(line);
  const shipped = [...statements.end(), ...checkTails(statements, { before, after }, from)];
  const verified = await verifyEvidence(databases, heads, new Date());
  const flaws = [...sink.flaws, ...shipped, ...heads.end(), ...verified.flaws];
  const { auditEntries, ledgerEntries, accounts, payouts, quotes, unprotected } = verified;
  return {
    flaws: flaws.length,
    unprotected,
    lines: [
      ...flaws.map((each) => {
        return `${each.kind.toUpperCase()}  ${each.service}: ${each.subject}: ${each.detail}`;
      }),
      `${auditEntries} audit entries, ${ledgerEntries} ledger entries of ${accounts} accounts`,
      `${payouts} payouts, ${quotes} quotes`,
      ...(statements.torn() > 0 ? [`${statements.torn()} lines of the sink are cut off`] : []),
      `${unprotected} entries are newer than the last head of their chain`,
      flaws.length === 0
        ? "verified: nothing that evidence covers was changed"
        : `${flaws.length} flaws`,
    ],
  };
}
