import { enumName } from "@disburse/chassis/enum-names.ts";
import { pageLimitDefault, pageLimitMax, readCursor } from "@disburse/chassis/paging/page.ts";
import type {
  Bank as BankMessage,
  ListScreeningsRequest,
  Party as PartyMessage,
  ScreenPartyRequest,
  ScreenWalletRequest,
  Subject as SubjectMessage,
  Wallet as WalletMessage,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Party_Type, Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { type Bank, bicKey } from "../banks/rules/bank.ts";
import {
  type Wallet,
  walletFamiliesOf,
  walletFamily,
  walletNetworks,
} from "../wallets/rules/wallet.ts";
import type { Subject } from "./rules/screening.ts";
import type { ScreeningFilter } from "./store.ts";

/** The name of the list of screenings in its cursors. */
export const screeningList = "screenings";

type Invalid = Refused<"INVALID_REQUEST">;

/** The maximum parties of a request: a company with its owners (decisions: depositors). */
const partiesMax = 50;
/** The maximum wallets of a request. A party has one or two. More require separate requests. */
const walletsMax = 10;
/**
 * The maximum banks of a request. An account has one bank, and its second routing code may name
 * another. A wallet has one custodian, whose code and name may differ.
 */
const banksMax = 2;
/** The maximum length of a name: first and last name of 255 characters each, and a space. */
const nameLengthMax = 511;
const addressText = /^.{1,128}$/s;
/** The maximum countries of a party: residence, citizenship and birth, with a margin. */
const countriesMax = 10;
const documentsMax = 20;
const documentLengthMax = 255;
const idText = /^[\x21-\x7e]{1,128}$/;
const countryText = /^[A-Z]{2}$/;

function invalid(violations: readonly Violation[]): Invalid {
  return refused("INVALID_REQUEST", violationsMessage(violations));
}

function readSubject(message: SubjectMessage | undefined, violations: Violation[]): Subject {
  const { merchantId = "", recordId = "" } = message ?? {};
  if (!idText.test(merchantId)) {
    violations.push({ field: "subject.merchant_id", problem: "is required" });
  }
  if (recordId !== "" && !idText.test(recordId)) {
    violations.push({
      field: "subject.record_id",
      problem: "must be an id of 1 to 128 printable characters",
    });
  }
  return { merchantId, recordId };
}

/** A wallet with the networks that the request names. */
export type RequestedWallet = Wallet & { readonly networks: readonly string[] };

/**
 * The data to screen, and the subject. The whole request is stored, so that it can be screened
 * again.
 */
export type ScreeningRequest = {
  readonly subject: Subject;
  readonly parties: readonly Party[];
  readonly wallets: readonly RequestedWallet[];
  readonly banks: readonly Bank[];
};

export function readWalletRequest(request: ScreenWalletRequest): ScreeningRequest | Invalid {
  const violations: Violation[] = [];
  const subject = readSubject(request.subject, violations);
  const wallet = readWallet(request, "", violations);
  return violations.length > 0
    ? invalid(violations)
    : { subject, parties: [], wallets: [wallet], banks: [] };
}

export function readPartyRequest(request: ScreenPartyRequest): ScreeningRequest | Invalid {
  const violations: Violation[] = [];
  const subject = readSubject(request.subject, violations);
  const { parties, wallets, banks } = request;
  if (parties.length > partiesMax) {
    violations.push({ field: "parties", problem: `must be at most ${partiesMax}` });
  }
  if (wallets.length > walletsMax) {
    violations.push({ field: "wallets", problem: `must be at most ${walletsMax}` });
  }
  if (banks.length > banksMax) {
    violations.push({ field: "banks", problem: `must be at most ${banksMax}` });
  }
  if (parties.length + wallets.length + banks.length === 0) {
    violations.push({
      field: "parties",
      problem: "must have at least one party, or a wallet or bank must be sent",
    });
  }
  if (violations.length > 0) return invalid(violations);
  const read = {
    subject,
    parties: parties.map((party, at) => readParty(party, `parties[${at}]`, violations)),
    wallets: wallets.map((wallet, at) => readWallet(wallet, `wallets[${at}].`, violations)),
    banks: banks.map((bank, at) => readBank(bank, `banks[${at}]`, violations)),
  };
  return violations.length > 0 ? invalid(violations) : read;
}

/** Reads a wallet, and determines the families of networks in which its address is compared. */
function readWallet(
  { address, networks }: Pick<WalletMessage, "address" | "networks">,
  at: string,
  violations: Violation[],
): RequestedWallet {
  const known = networks.every((network) => walletFamily(network) !== undefined);
  if (!known) {
    const problem = `must be one of ${walletNetworks.join(", ")}`;
    violations.push({ field: `${at}networks`, problem });
  }
  const families = addressText.test(address) ? walletFamiliesOf(networks, address) : undefined;
  if (families === undefined && known) {
    violations.push({ field: `${at}address`, problem: "must be valid for its network" });
  }
  return { families: families ?? [], address, networks };
}

function readBank(message: BankMessage, at: string, violations: Violation[]): Bank {
  const name = cleanText(message.name);
  const bic = cleanText(message.bic);
  const { country } = message;
  if (name === "" && bic === "" && country === "") {
    violations.push({ field: at, problem: "must have a name, a BIC or a country" });
  }
  if (country !== "" && !countryText.test(country)) {
    violations.push({ field: `${at}.country`, problem: "must be an ISO 3166 alpha-2 code" });
  }
  const problem = name === "" ? undefined : nameProblem(name);
  if (problem !== undefined) violations.push({ field: `${at}.name`, problem });
  if (bic !== "" && bicKey(bic) === undefined) {
    violations.push({ field: `${at}.bic`, problem: "must be a BIC (ISO 9362)" });
  }
  return { name, bic, country };
}

/** Returns the problem of a name, or `undefined`. */
function nameProblem(name: string): string | undefined {
  const isTooLong = Array.from(name).length > nameLengthMax;
  return name === "" || isTooLong ? `must be 1 to ${nameLengthMax} characters` : textProblem(name);
}

function readParty(message: PartyMessage, at: string, violations: Violation[]): Party {
  const report = (field: string, problem: string | undefined): void => {
    if (problem !== undefined) violations.push({ field: `${at}.${field}`, problem });
  };
  const type = enumName(Party_Type, message.type);
  if (type === undefined) report("type", "must be an individual or an entity");
  const name = cleanText(message.name);
  report("name", nameProblem(name));
  if (message.date !== "" && !isCalendarDate(message.date)) report("date", "must be yyyy-mm-dd");
  const countries = message.countries.filter((country) => country !== "");
  if (countries.length > countriesMax || !countries.every((each) => countryText.test(each))) {
    report("countries", `must be at most ${countriesMax} ISO 3166 alpha-2 codes`);
  }
  const documents = message.documents
    .filter(({ number }) => number !== "")
    .map(({ number, country }) => ({ number, country }));
  const tooLong = documents.some(({ number }) => number.length > documentLengthMax);
  if (documents.length > documentsMax || tooLong) {
    report(
      "documents",
      `must be at most ${documentsMax} documents with at most ${documentLengthMax} characters each`,
    );
  }
  if (documents.some(({ country }) => country !== "" && !countryText.test(country))) {
    report("documents", "must have ISO 3166 alpha-2 codes as countries");
  }
  return { type: type ?? "individual", name, date: message.date, countries, documents };
}

export function readListRequest(
  request: ListScreeningsRequest,
): { filter: ScreeningFilter; limit: number } | Invalid {
  const violations: Violation[] = [];
  const limit = request.limit === 0 ? pageLimitDefault : request.limit;
  if (limit < 1 || limit > pageLimitMax) {
    violations.push({ field: "limit", problem: `must be 1 to ${pageLimitMax}` });
  }
  const verdict = enumName(Verdict, request.verdict);
  if (verdict === undefined && request.verdict !== Verdict.UNSPECIFIED) {
    violations.push({ field: "verdict", problem: "is not known" });
  }
  const cursor = request.cursor === "" ? undefined : readCursor(screeningList, request.cursor);
  if (request.cursor !== "" && cursor === undefined) {
    violations.push({ field: "cursor", problem: "must be one that a list returned" });
  }
  if (violations.length > 0) return invalid(violations);
  const { merchantId, recordId } = request;
  return { filter: { merchantId, recordId, verdict, before: cursor?.id }, limit };
}
