import type { Source } from "@disburse/tidy/source.ts";
import { notifierEquivalents } from "./notifier-equivalents.ts";
import type { Mutant } from "./operators.ts";

/** A mutant of this operator in the line of a file that reads so, which no test can kill. */
export type Equivalent = {
  readonly path: string;
  readonly line: string;
  readonly operator: string;
  readonly why: string;
};

const matcher = "packages/name-matcher/src";
const forms = "packages/forms/src";
const chassis = "packages/chassis/src";

/** Survivors that were read and found to change nothing that anyone can observe but time. */
export const equivalents: readonly Equivalent[] = [
  {
    path: `${matcher}/alignment/alignment.ts`,
    line: "if (together.score > best.score) best = together;",
    operator: "> becomes >=",
    why: "compounds that change the links change the score",
  },
  {
    path: `${matcher}/scripts/homoglyphs.ts`,
    line: "if (!cyrillicOrGreek.test(written)) return written;",
    operator: "drop a guard",
    why: "what follows leaves a word without such letters as it is",
  },
  {
    path: `${matcher}/index/search.ts`,
    line: "const key = id * allTokenKinds.length + kindAt;",
    operator: "+ becomes -",
    why: "as good a key: there are fewer kinds than lie between two ids",
  },
  {
    path: `${matcher}/index/hash-keys.ts`,
    line: "if (isVowel[letter] === 1 || (count > 0 && letter === ring[count - 1])) continue;",
    operator: "> becomes >=",
    why: "before the first letter there is none to be equal to",
  },
  {
    path: `${matcher}/index/hash-keys.ts`,
    line: "if (count > 1 && ring[count - 1] === ring[0]) count -= 1;",
    operator: "> becomes >=",
    why: "one consonant is too few for a key, and so is none",
  },
  {
    path: `${matcher}/index/hash-keys.ts`,
    line: "if (letter !== word.charCodeAt(at + 1)) visit(hashToken(word, at + 1, before));",
    operator: "+ becomes -",
    why: "deleting either of two equal adjacent letters leaves the same",
  },
  {
    path: `${matcher}/index/vocabulary.ts`,
    line: "if (exact !== undefined) found.set(exact, 1);",
    operator: "drop a guard",
    why: "it is found by its own key too, and comes to the same",
  },
  {
    path: `${matcher}/scripts/arabic.ts`,
    line: "for (let at = 0; at < written.length; at += 1) {",
    operator: "< becomes <=",
    why: "past its end a word has no letter to add",
  },
  {
    path: `${matcher}/alignment/spelling-distance.ts`,
    line: "const before = i > 1 ? a.charCodeAt(i - 2) - letterA : -1;",
    operator: "> becomes >=",
    why: "the letter before the first one is NaN, which equals nothing",
  },
  {
    path: `${matcher}/alignment/spelling-distance.ts`,
    line: "if (j > 1 && before === other && letter === b.charCodeAt(j - 2) - letterA) {",
    operator: "> becomes >=",
    why: "the letter before the first one is NaN, which equals nothing",
  },
  {
    path: `${matcher}/alignment/token-similarity.ts`,
    line: "if (a.canonical === b.canonical) return spelling.canonical;",
    operator: "drop a guard",
    why: "the way past it comes to the same number, later",
  },
  {
    path: `${matcher}/alignment/token-similarity.ts`,
    line: "const [short, long] = a.length < b.length ? [a, b] : [b, a];",
    operator: "< becomes <=",
    why: "of two that are equally long, neither is the other's patronymic",
  },
  ...["rows.set(party, row);", "row.set(entry, alike);"].map((line) => ({
    path: `${matcher}/index/search.ts`,
    line,
    operator: "drop a call",
    why: "a similarity is computed again",
  })),
  {
    path: `${matcher}/alignment/token-similarity.ts`,
    line: "while (same < shortest && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;",
    operator: "< becomes <=",
    why: "past its end a text has no letter, which equals nothing",
  },
  {
    path: `${matcher}/alignment/token-similarity.ts`,
    line: "back <= shortest - same &&",
    operator: "- becomes +",
    why: "the function may say yes too often: it spares work",
  },
  {
    path: `${matcher}/alignment/spelling-distance.ts`,
    line: "if (a === b) return 0;",
    operator: "drop a guard",
    why: "the way past it comes to nothing too, later",
  },
  {
    path: `${matcher}/index/flat-tables.ts`,
    line: "for (let at = 0; at < keyCount; at += 1) {",
    operator: "< becomes <=",
    why: "what is written past the end of a typed array is lost",
  },
  ...["drop a guard", "<= becomes <"].map((operator) => ({
    path: `${forms}/checks/text.ts`,
    line: "if (text.length <= maxLength) return false;",
    operator,
    why: "a text has no more code points than code units",
  })),
  {
    path: `${forms}/checks/text.ts`,
    line: "patterns.set(source, known);",
    operator: "drop a call",
    why: "a pattern is compiled again",
  },
  {
    path: "services/quote/src/quotes/rules/arithmetic.ts",
    line: "return shift >= 0",
    operator: ">= becomes >",
    why: "ten to the power of nothing is one, above and below",
  },
  {
    path: "services/payout/src/ledger/rules/movement.ts",
    line: "createdAt: now > state.updatedAt ? now : state.updatedAt,",
    operator: "> becomes >=",
    why: "two equal times",
  },
  {
    path: "services/payout/src/ledger/statement.ts",
    line: "if (account.recent.length > 0) await recordAccount(collections, account);",
    operator: "> becomes >=",
    why: "there is nothing to record, and the recorder does the rest by itself",
  },
  {
    path: "services/payout/src/ledger/writer.ts",
    line: "const kept = new LRUCache<string, ReadAccount>({ max: keptMax, ttl: keptMs });",
    operator: "drop max",
    why: "it bounds the memory; an account that is forgotten is read again",
  },
  {
    path: "services/payout/src/ledger/writer.ts",
    line: "await pause(Math.random() * pauseMaxMs);",
    operator: "drop a call",
    why: "without a pause the next try is sooner",
  },
  {
    path: "services/payout/src/ledger/documents.ts",
    line: "return accounts.find({ dirty: true });",
    operator: "drop dirty",
    why: "those that are left out have nothing to do; an index finds the others",
  },
  {
    path: "services/payout/src/rails/workers.ts",
    line: "timers.delete(timer);",
    operator: "drop a call",
    why: "a timer that has fired is forgotten; it can be cleared once more",
  },
  {
    path: `${chassis}/mongo/database.ts`,
    line: "if (words.getBigUint64(8, true) === smallWhole) return words.getBigUint64(0, true);",
    operator: "drop a guard",
    why: "the way past it comes to the same number, later",
  },
  {
    path: `${chassis}/mongo/grouping/gatherer.ts`,
    line: "for (let length = 0; length < most; length += 1) {",
    operator: "< becomes <=",
    why: "past the last one it answers their number too",
  },
  {
    path: `${chassis}/mongo/migrations.ts`,
    line: "await setTimeout(lookEveryMs);",
    operator: "drop a call",
    why: "it looks again sooner",
  },
  {
    path: `${chassis}/mongo/sweep-lease.ts`,
    line: "await leases.updateOne({ _id: name, owner }, { $set: { until: new Date(0) } });",
    operator: "drop _id",
    why: "its owner has no other lease",
  },
  {
    path: "services/gateway/src/idempotency/store.ts",
    line: '{ _id, fence: found.fence, "progress.state": found.progress.state },',
    operator: "drop _id",
    why: "a fence is of one run of one key; the id finds it by an index",
  },
  {
    path: "services/gateway/src/keys/store.ts",
    line: '{ "operation.secret_until": { $lte: now }, "operation.sealed_secret": { $ne: null } },',
    operator: 'drop "operation.sealed_secret"',
    why: "what was forgotten is forgotten again",
  },
  ...[
    ["gauges.ts", '{ $match: { "outbox.at": always } },', '"outbox.at"'],
    ["gauges.ts", '{ $match: { work_due_at: always, status: "initiated" } },', "work_due_at"],
    ["gauges.ts", '{ $match: { "doubt.since": always } },', '"doubt.since"'],
    [
      "payouts/counts.ts",
      '.find({ "untallied.at": { $gt: new Date(0) } }, { hint: "untallied" })',
      '"untallied.at"',
    ],
    [
      "payouts/outbox.ts",
      '.find({ "outbox.at": { $gt: new Date(0) } }, { hint: "outbox" })',
      '"outbox.at"',
    ],
  ].map(([file = "", line = "", condition = ""]) => ({
    ...{ path: `services/payout/src/${file}`, line, operator: `drop ${condition}` },
    why: "the sparse index that is hinted has no other payouts; the condition names it",
  })),
  ...notifierEquivalents,
];

/** Whether a mutant of a file is a known equivalent. */
export function isEquivalent(mutant: Mutant, { path, text }: Source): boolean {
  const line = text.split("\n")[mutant.line - 1]?.trim();
  return equivalents.some(
    (each) => each.path === path && each.line === line && each.operator === mutant.operator,
  );
}
