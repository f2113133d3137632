import type { Reason } from "../iso20022/reports/report.ts";

/**
 * Reason codes that prove that a rejected payment was not executed. Each reports a fault in the
 * order or in a party's data, which the bank detects before booking. Names and meanings are from
 * ISO 20022's external code set `ExternalStatusReason1Code`, edition of the fourth quarter of 2022.
 */
const notExecuted: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AC01: "IncorrectAccountNumber",
    AC02: "InvalidDebtorAccountNumber",
    AC03: "InvalidCreditorAccountNumber",
    AC04: "ClosedAccountNumber",
    AC05: "ClosedDebtorAccountNumber",
    AC06: "BlockedAccount",
    AC07: "ClosedCreditorAccountNumber",
    AC08: "InvalidBranchCode",
    AC09: "InvalidAccountCurrency",
    AC10: "InvalidDebtorAccountCurrency",
    AC11: "InvalidCreditorAccountCurrency",
    AC12: "InvalidAccountType",
    AC13: "InvalidDebtorAccountType",
    AC14: "InvalidCreditorAccountType",
    AC15: "AccountDetailsChanged",
    AG01: "TransactionForbidden",
    AG02: "InvalidBankOperationCode",
    AG03: "TransactionNotSupported",
    AG04: "InvalidAgentCountry",
    AG05: "InvalidDebtorAgentCountry",
    AG06: "InvalidCreditorAgentCountry",
    AGNT: "IncorrectAgent",
    AM01: "ZeroAmount",
    AM02: "NotAllowedAmount",
    AM03: "NotAllowedCurrency",
    AM04: "InsufficientFunds",
    AM06: "TooLowAmount",
    AM09: "WrongAmount",
    AM10: "InvalidControlSum",
    AM11: "InvalidTransactionCurrency",
    AM12: "InvalidAmount",
    AM13: "AmountExceedsClearingSystemLimit",
    AM14: "AmountExceedsAgreedLimit",
    AM15: "AmountBelowClearingSystemMinimum",
    AM21: "LimitExceeded",
    BE01: "InconsistentWithEndCustomer",
    BE04: "MissingCreditorAddress",
    BE05: "UnrecognisedInitiatingParty",
    BE06: "UnknownEndCustomer",
    BE07: "MissingDebtorAddress",
    BE08: "MissingDebtorName",
    BE09: "InvalidCountry",
    BE10: "InvalidDebtorCountry",
    BE11: "InvalidCreditorCountry",
    BE12: "InvalidCountryOfResidence",
    BE13: "InvalidDebtorCountryOfResidence",
    BE14: "InvalidCreditorCountryOfResidence",
    BE15: "InvalidIdentificationCode",
    BE16: "InvalidDebtorIdentificationCode",
    BE17: "InvalidCreditorIdentificationCode",
    BE18: "InvalidContactDetails",
    BE19: "InvalidChargeBearerCode",
    BE20: "InvalidNameLength",
    BE21: "MissingName",
    BE22: "MissingCreditorName",
    BE23: "AccountProxyInvalid",
    CNOR: "CreditorBankIsNotRegistered",
    CURR: "IncorrectCurrency",
    DNOR: "DebtorBankIsNotRegistered",
    DT01: "InvalidDate",
    DT02: "InvalidCreationDate",
    DT03: "InvalidNonProcessingDate",
    DT04: "FutureDateNotSupported",
    DT05: "InvalidCutOffDate",
    FF01: "InvalidFileFormat",
    FF03: "InvalidPaymentTypeInformation",
    FF04: "InvalidServiceLevelCode",
    FF05: "InvalidLocalInstrumentCode",
    FF06: "InvalidCategoryPurposeCode",
    FF07: "InvalidPurpose",
    FF08: "InvalidEndToEndId",
    MD07: "EndCustomerDeceased",
    MS02: "NotSpecifiedReasonCustomerGenerated",
    MS03: "NotSpecifiedReasonAgentGenerated",
    RC01: "BankIdentifierIncorrect",
    RC02: "InvalidBankIdentifier",
    RC03: "InvalidDebtorBankIdentifier",
    RC04: "InvalidCreditorBankIdentifier",
    RC05: "InvalidBICIdentifier",
    RC06: "InvalidDebtorBICIdentifier",
    RC07: "InvalidCreditorBICIdentifier",
    RC08: "InvalidClearingSystemMemberIdentifier",
    RC09: "InvalidDebtorClearingSystemMemberIdentifier",
    RC10: "InvalidCreditorClearingSystemMemberIdentifier",
    RC11: "InvalidIntermediaryAgent",
    RC12: "MissingCreditorSchemeId",
    RC13: "OriginatorNotActive",
    RC15: "SettlementAgreementRequired",
    RC16: "ParticipantBlocked",
    RR01: "MissingDebtorAccountOrIdentification",
    RR02: "MissingDebtorNameOrAddress",
    RR03: "MissingCreditorNameOrAddress",
    RR04: "RegulatoryReason",
    RR05: "RegulatoryInformationInvalid",
    RR06: "TaxInformationInvalid",
    RR07: "RemittanceInformationInvalid",
    RR08: "RemittanceInformationTruncated",
    RR09: "InvalidStructuredCreditorReference",
    RR10: "InvalidCharacterSet",
    RR11: "InvalidDebtorAgentServiceID",
    RR12: "InvalidPartyID",
  }),
);

/**
 * Codes that never prove "not executed", even if a bank's profile lists them. They report
 * duplicates, free text, an interrupted process or blocked money, or are not rejections at all.
 */
const neverProof = new RegExp(
  "^(?:AM05|DUPL|DU\\d\\d|DS15|RF01|NARR|AM07|AB\\d\\d|ED05|FF10|FF11|G\\d{3}" +
    "|CH19|DS01|DS05|DS06|DS07|DT06|TS01|TS04)$",
);

/** True if a profile may list this code as "not executed". */
export function mayProveNotExecuted(code: string): boolean {
  const read = codeOf(code);
  return read !== "" && !neverProof.test(read);
}

/**
 * Returns the outcome that the reasons of a rejection prove. The payment was not executed if each
 * reason has a code, every code is listed, and no code or text suggests a duplicate. `bankCodes`
 * are the proprietary codes that the bank's profile lists.
 */
export function provenBy(
  reasons: readonly Reason[],
  bankCodes: ReadonlySet<string>,
): "not-executed" | "rejected-as-duplicate" | "rejected-without-proof" {
  if (reasons.some(mentionsDuplicate)) return "rejected-as-duplicate";
  const isProven = reasons.length > 0 && reasons.every((each) => isListed(each, bankCodes));
  return isProven ? "not-executed" : "rejected-without-proof";
}

function isListed({ code, proprietary }: Reason, bankCodes: ReadonlySet<string>): boolean {
  if (code === undefined && proprietary === undefined) return false;
  const isCode = code === undefined || notExecuted.has(codeOf(code));
  const isProprietary =
    proprietary === undefined ||
    (mayProveNotExecuted(proprietary) && bankCodes.has(codeOf(proprietary)));
  return isCode && isProprietary;
}

/** Normalises a code for comparison with the lists. */
export function codeOf(text: string): string {
  return text.trim().toUpperCase();
}

/**
 * Caches the result by reason. A file's reason applies to all its payments, and testing the
 * patterns is slow.
 */
const known = new WeakMap<Reason, boolean>();

/** True if a reason states, by code or in words, that the bank already has this payment. */
function mentionsDuplicate(reason: Reason): boolean {
  const isDuplicate = known.get(reason) ?? hasDuplicate(reason);
  known.set(reason, isDuplicate);
  return isDuplicate;
}

function hasDuplicate({ code = "", proprietary = "", text = "" }: Reason): boolean {
  const isCode = [code, proprietary].some((each) =>
    /^(?:AM05|DUPL|DU\d\d|DS15|RF01)$/.test(codeOf(each)),
  );
  // A proprietary code may contain words.
  return isCode || duplicateWords.some((pattern) => pattern.test(`${proprietary} ${text}`));
}

/** Phrases that claim that a payment was carried out. A negated phrase does not match. */
const carriedOut =
  "(?:paid|executed|processed|booked|debited|credited|settled|received|accepted|sent|seen|used" +
  "|transmitted|carried out|done|made|recorded|registered|effected|released|posted|completed)";

/** Nouns for a payment in banks' texts about duplicates. */
const things =
  "(?:ref|message|msg|id\\b|identif|instr|payment|transaction|transfer|file|batch|bulk|end|amount" +
  "|order|details|signature|number|data|content|beneficiary and)";

/**
 * Phrases that suggest that the bank may already have executed the payment. They match broadly,
 * because a match never releases money. A false match only requires a decision by two operators.
 */
const duplicateWords: readonly RegExp[] = [
  /dupl|\bdubl|\bdoubl|doppel|doppi[ao]|\bdobl[eao]|\bdobrad|dobbel|dubbel|zdvoj|\btupla/iu,
  /\btwice\b|second time|\brepeat(?:ed|s| of)\b|repetition|\bre-?(?:sent|submitted|submission)\b/iu,
  /(?<!\b(?:try|send|submit|enter) )\bagain\b|more than once|\breplay|\bre-?used?\b/iu,
  /\balready\b|\bpr[eé]vious(?:ly)?\b|\bearlier\b(?! than)|\bprior\b(?! to)|pre-?exist/iu,
  new RegExp(`\\b${carriedOut} before\\b`, "iu"),
  new RegExp(`\\b(?:identical|the same|same|original|existing) ${things}`, "iu"),
  /\b(?:not|non|n't|must be|be|no longer)[ -]unique|\bunicity\b|\bin use\b/iu,
  /(?<!\b(?:not|never|longer|non|no)[ -])(?<!n't )\bexists\b|\b(?:that|which) exist\b/iu,
  /\b(?:is|was|are|were) (?:known|found|present|on file|on record)\b|\bknown to (?:us|the bank)\b/iu,
  new RegExp(`\\b(?:has|have|had) been ${carriedOut}\\b`, "iu"),
  new RegExp(`\\b(?:is|was|were|got) ${carriedOut}\\b`, "iu"),
  /\bin progress\b|under way|\bbeing processed\b/iu,
  // German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech, Nordic languages, Finnish.
  /\bbereits\b|\bschon\b|mehrfach|wiederhol|(?<!nicht )\bvorhanden|(?<!nicht )\bausgef[üu]hrt/iu,
  /\bd[ée]j[àa](?!\p{L})|\bdoublon|(?<!non )\b(?:connue?|existante?)\b|(?<!non )\bex[ée]cut[ée]e?\b/iu,
  /\bya (?:fue|ha|est[áa]|existe|se)\b|\brepetid|(?<!no )\bexistente|\bj[áa] (?:foi|existe|est)/iu,
  /(?<=^|[^\p{L}])gi[àa](?=$|[^\p{L}])|(?<!non )\besistente|ripetut|(?<!non )\beseguit[oa]/iu,
  /\breeds\b|\bal (?:eerder|verwerkt|uitgevoerd|bekend|betaald|ontvangen|aanwezig)\b|\beerder\b/iu,
  /\bju[żz](?=$|[^\p{L}])|ponown|powt[óo]rz|wcze[śs]niej|(?<!nie )\bistniej|\bji[žz](?=$|[^\p{L}])/iu,
  /opakovan|\bexistuje|\bredan\b|\ballerede\b|\btidigare\b|\btidligere\b|\bfinns\b|\bfindes\b/iu,
  /\bjo\b|aiemmin|uudelleen/iu,
];
