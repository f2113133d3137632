import type { Verdict } from "@disburse/harness/scenario.ts";
import { checkChain } from "@disburse/invariants/chain/chain-check.ts";
import { openNode } from "@disburse/invariants/chain/node.ts";
import { checkDatabase } from "@disburse/invariants/database-check.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import { untilQuiet } from "@disburse/invariants/quiet.ts";
import type { World } from "../world.ts";

const restMs = 120_000;
const shownMax = 10;

/** Checks the invariants after the other cases: ledger, payouts, files and chain. */
export async function* invariants({ databases, chain }: World): AsyncIterable<Verdict> {
  yield { name: "at rest", problems: await untilQuiet(databases, restMs, ["bank-ach"]) };
  const { findings, counts } = await checkDatabase(databases, { now: new Date() });
  const figures = `${counts.payouts} payouts, ${counts.bank_files} files of banks`;
  yield { name: "documents", problems: describeFindings(findings), figures };
  if (chain === undefined) return;
  const report = await checkChain(databases, openNode(chain.anvil.url));
  const checked = `${report.checked} transfers`;
  yield { name: "the chain", problems: describeFindings(report.findings), figures: checked };
}

function describeFindings(findings: readonly Finding[]): string[] {
  return findings
    .slice(0, shownMax)
    .map(({ invariant, subject, detail }) => `${invariant}: ${subject} ${detail}`);
}
