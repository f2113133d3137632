import { isReadable, isRomanisable, swiftText } from "./romanisation.ts";

/**
 * The fields that each payment method carries to the payee's bank, with their limits. Forms reject
 * text that exceeds a limit, and file writers apply the same table. A field without a row is not
 * carried and has no limit.
 */

/** `LOCAL` is a domestic transfer in the account's own currency. */
export type PaymentMethod = "SWIFT" | "SEPA" | "ACH" | "LOCAL_USD" | "LOCAL_INR";

/** The parts of a payment instruction that a bank reads. */
export type CarriedPart =
  | "name"
  | "account"
  | "routing"
  | "street"
  | "town"
  | "state"
  | "postcode"
  | "remittance";

export type Carried = {
  /** The maximum number of characters in the file, counted after romanisation. */
  readonly max: number;
  /**
   * `latin`: the text is romanised into SWIFT's character set x. `exact`: the text is an identifier
   * and is never changed.
   */
  readonly characters: "latin" | "exact";
  /**
   * `refused`: a longer text is refused, because it must arrive whole. `cut`: a longer text is
   * shortened in the file, and our record keeps the whole text.
   */
  readonly longer: "refused" | "cut";
  /** The standard or rule that sets the limit. */
  readonly source: string;
};

/**
 * The maximum lengths of the ISO 20022 elements `Nm`, `Othr/Id`, `StrtNm`, `BldgNb`, `PstCd`,
 * `TwnNm`, `CtrySubDvsn`, `AdrLine` and `RmtInf/Ustrd`, in this order (pain.001.001.03 and .09).
 * `Othr/Id` also fits the longest IBAN, which has 34 characters (ISO 13616).
 */
export const iso20022Max = {
  name: 140,
  account: 34,
  street: 70,
  houseNumber: 16,
  postcode: 16,
  town: 35,
  state: 35,
  addressLine: 70,
  remittance: 140,
} as const;

/**
 * The maximum number of address lines in a hybrid address, in addition to town and country. CBPR+
 * allows hybrid addresses since November 2025, SEPA since October 2025 (EPC125-05, EPC153-22).
 */
export const addressLinesMax = 2;

const linesMax = addressLinesMax * iso20022Max.addressLine;

const exact = (max: number, source: string): Carried => {
  return { max, characters: "exact", longer: "refused", source };
};
const whole = (max: number, source: string): Carried => {
  return { max, characters: "latin", longer: "refused", source };
};
const cut = (max: number, source: string): Carried => {
  return { max, characters: "latin", longer: "cut", source };
};

type Limits = { readonly [part in CarriedPart]?: Carried };

/**
 * The limits of an address. It is structured, or hybrid if the street or the state is longer than
 * its own element.
 */
const address = {
  street: whole(linesMax, "ISO 20022 StrtNm, Max70Text; longer: two AdrLine, Max70Text"),
  town: whole(iso20022Max.town, "ISO 20022 TwnNm, Max35Text"),
  state: whole(linesMax, "ISO 20022 CtrySubDvsn, Max35Text; longer: two AdrLine, Max70Text"),
  postcode: whole(iso20022Max.postcode, "ISO 20022 PstCd, Max16Text"),
} as const;

const remittance = cut(iso20022Max.remittance, "ISO 20022 RmtInf/Ustrd, Max140Text");
const isoName = cut(iso20022Max.name, "ISO 20022 Nm, Max140Text");
const isoAccount = exact(
  iso20022Max.account,
  "ISO 20022 Othr/Id, Max34Text; IBAN: ISO 13616, 34 characters",
);

export const paymentLimits: Readonly<Record<PaymentMethod, Limits>> = {
  SWIFT: {
    name: isoName,
    account: isoAccount,
    routing: exact(11, "ISO 9362; ISO 20022 BICFI"),
    street: address.street,
    town: address.town,
    state: address.state,
    postcode: address.postcode,
    remittance,
  },
  SEPA: {
    name: cut(70, "EPC125-05 AT-E001, 70 characters"),
    account: exact(iso20022Max.account, "ISO 13616, 34 characters"),
    routing: exact(11, "ISO 9362; ISO 20022 BICFI"),
    street: address.street,
    town: address.town,
    postcode: address.postcode,
    remittance,
  },
  ACH: {
    name: cut(22, "Nacha entry detail record, columns 55 to 76"),
    account: exact(17, "Nacha entry detail record, columns 13 to 29"),
    routing: exact(9, "Nacha entry detail record, columns 4 to 12"),
    remittance: cut(80, "Nacha addenda record of type 05, columns 4 to 83"),
  },
  LOCAL_USD: {
    name: isoName,
    account: isoAccount,
    routing: exact(9, "ISO 20022 ClrSysMmbId of USABA, nine digits"),
    street: address.street,
    town: address.town,
    state: address.state,
    postcode: address.postcode,
    remittance,
  },
  LOCAL_INR: {
    name: isoName,
    account: isoAccount,
    routing: exact(11, "ISO 20022 ClrSysMmbId of INFSC, eleven characters (RBI)"),
    street: address.street,
    town: address.town,
    state: address.state,
    postcode: address.postcode,
    remittance,
  },
};

/** Returns `undefined` for a transfer type that does not pay a bank account. */
export function paymentMethodOf(transferType: string, currency: string): PaymentMethod | undefined {
  if (transferType === "LOCAL") return currency === "INR" ? "LOCAL_INR" : "LOCAL_USD";
  if (transferType === "SWIFT" || transferType === "SEPA") return transferType;
  return transferType === "ACH" ? "ACH" : undefined;
}

/** Throws if the method does not carry the part. */
export function limitOf(method: PaymentMethod, part: CarriedPart): Carried {
  const limit = paymentLimits[method][part];
  if (limit === undefined) throw new Error(`the payment method ${method} does not carry ${part}`);
  return limit;
}

/** Merchants write `-` or `N/A` for a required field without a value. */
export function isPlaceholder(text: string): boolean {
  return /^(?:[-\u2010-\u2015]|n\/a)$/i.test(text.trim());
}

/**
 * Returns the reason why a method can't carry a whole text, in words for the merchant, or
 * `undefined`. `over` is the method's public name. Parts that may be cut have no maximum length.
 */
export function carriedProblem(text: string, limit: Carried, over: string): string | undefined {
  const { max, characters, longer } = limit;
  if (characters === "exact") {
    return text.length <= max ? undefined : `must be at most ${max} characters over ${over}`;
  }
  if (isPlaceholder(text)) return `is required over ${over}`;
  if (!isRomanisable(text)) return `must be in Latin, Greek or Cyrillic letters over ${over}`;
  if (!isReadable(text)) return `must contain a letter or digit over ${over}`;
  const { length } = swiftText(text);
  if (longer === "cut" || length <= max) return undefined;
  const counted = length > Array.from(text).length ? ` in Latin letters, not ${length},` : "";
  return `must be at most ${max} characters${counted} over ${over}`;
}
