import { batchWords } from "./en/batches.ts";
import { beneficiaryWords, depositorWords } from "./en/beneficiaries.ts";
import { complianceWords } from "./en/compliance.ts";
import { everyPageWords, formWords } from "./en/every-page.ts";
import { operatorWords } from "./en/operators.ts";
import { payoutWords } from "./en/payouts.ts";
import { platformWords, requestWords } from "./en/platform.ts";
import { searchWords } from "./en/search.ts";
import { shellWords } from "./en/shell.ts";
import { teamWords } from "./en/team.ts";
import { treasuryWords } from "./en/treasury.ts";
import { webhookWords } from "./en/webhooks.ts";
import { type Texts, textsOf } from "./messages.ts";

/** All texts of the console, by feature. Those with arguments are ICU messages. */
const english = {
  ...everyPageWords,
  shell: shellWords,
  search: searchWords,
  payouts: payoutWords,
  batches: batchWords,
  beneficiaries: beneficiaryWords,
  depositors: depositorWords,
  forms: formWords,
  webhooks: webhookWords,
  requests: requestWords,
  compliance: complianceWords,
  treasury: treasuryWords,
  team: teamWords,
  platform: platformWords,
  operators: operatorWords,
} as const;

/** A language for tests, which Chromium reserves: longer, with accents, from right to left. */
const pseudoLanguage = "ar-XB";

const isPseudo = navigator.languages?.includes(pseudoLanguage) ?? false;
if (isPseudo) document.documentElement.dir = "rtl";

/** The texts in the person's language. */
export const t: Texts<typeof english> = textsOf(
  english,
  isPseudo ? (await import("./pseudo.ts")).pseudoMessage : undefined,
);
