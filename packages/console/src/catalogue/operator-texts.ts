import { complianceWords } from "./en/compliance.ts";
import { operatorWords } from "./en/operators.ts";
import { platformWords } from "./en/platform.ts";
import { treasuryWords } from "./en/treasury.ts";
import { textsOf } from "./messages.ts";

/** The texts of operators' pages, which merchants' pages don't load. */
export const operatorTexts = textsOf({
  compliance: complianceWords,
  treasury: treasuryWords,
  platform: platformWords,
  operators: operatorWords,
});
