import type { Databases } from "../database-check.ts";
import type { Flaw } from "./flaw.ts";
import { createKeptHeads } from "./kept-heads.ts";
import { createStatementCheck, type PublicKeys } from "./statements.ts";
import { verifyEvidence } from "./verify.ts";

/** What a report is made of. */
export type EvidenceOptions = {
  readonly databases: Databases;
  /** Of the sink, in any order. */
  readonly lines: readonly string[];
  /** What is wrong with the sink itself. */
  readonly sinkFlaws?: readonly Flaw[];
  readonly keys: PublicKeys;
  /** Statements of before are left out: after a restore, for instance. */
  readonly from?: Date;
};

/** Verifies databases against a sink; the report as a person reads it, and how much is wrong. */
export async function reportOn(options: EvidenceOptions) {
  const { databases, lines, sinkFlaws = [], keys, from } = options;
  const heads = createKeptHeads();
  const statements = createStatementCheck(keys, heads, from);
  for (const line of lines) statements.add(line);
  const shipped = statements.end();
  const verified = await verifyEvidence(databases, heads, new Date());
  const flaws = [...sinkFlaws, ...shipped, ...heads.end(), ...verified.flaws];
  const { auditEntries, ledgerEntries, accounts, unprotected } = verified;
  return {
    flaws: flaws.length,
    unprotected,
    lines: [
      ...flaws.map((each) => {
        return `${each.kind.toUpperCase()}  ${each.service}: ${each.subject}: ${each.detail}`;
      }),
      `${auditEntries} audit entries, ${ledgerEntries} ledger entries of ${accounts} accounts`,
      ...(statements.torn() > 0 ? [`${statements.torn()} lines of the sink are cut off`] : []),
      `${unprotected} entries are newer than the last head of their chain`,
      flaws.length === 0 ? "verified: nothing was changed" : `${flaws.length} flaws`,
    ],
  };
}
