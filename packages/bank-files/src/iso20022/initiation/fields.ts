import { iso20022Max } from "@disburse/kernel/payment-methods/limits.ts";
import { givenText, hybridAddress } from "@disburse/kernel/payment-methods/postal-address.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";
import { electronicFormatIBAN, isValidBIC, isValidIBAN } from "ibantools";
import {
  bankText,
  bankTextProblem,
  type Characters,
  partyTextProblem,
} from "../../text/swift-characters.ts";
import type { Account, Agent, Fault, PostalAddress } from "./payment.ts";

/** An account number is never transliterated, because that would change the account. */
const accountNumber = new RegExp(`^[A-Za-z0-9/\\-?:().,'+]{1,${iso20022Max.account}}$`);

/** The child elements of an element by name, in the order of the schema. */
export type Content = { readonly [name: string]: unknown };

/**
 * Writes the fields of a payment or of the file header, and collects faults. Never shortens a text,
 * because a shorter name or reference may identify someone else.
 */
export class FieldWriter {
  readonly faults: Fault[] = [];
  readonly #characters: Characters;
  readonly #payoutId: string | undefined;

  constructor(characters: Characters, payoutId?: string) {
    this.#characters = characters;
    this.#payoutId = payoutId;
  }

  fault(field: string, problem: string): void {
    const whose = this.#payoutId === undefined ? {} : { payoutId: this.#payoutId };
    this.faults.push({ ...whose, field, problem });
  }

  /** Writes text in the bank's character set. `max` limits the length after romanisation. */
  text(field: string, text: string, max: number): string {
    return this.#written(field, text, max, bankTextProblem(text));
  }

  /**
   * Writes a name or a part of an address. Reports a fault if a letter has no certain romanisation.
   */
  party(field: string, text: string, max: number): string {
    return this.#written(field, text, max, partyTextProblem(text, this.#characters));
  }

  #written(field: string, text: string, max: number, problem: string | undefined): string {
    if (problem !== undefined) this.fault(field, problem);
    const written = bankText(text, this.#characters);
    const { length } = Array.from(written);
    if (length > max) this.fault(field, `has ${length} characters, ${max} at most`);
    if (!/[\p{L}\p{N}]/u.test(written)) this.fault(field, "has no letter or digit");
    return written;
  }

  optional(field: string, text: string | undefined, max: number): string | undefined {
    return text === undefined ? undefined : this.text(field, text, max);
  }

  code(field: string, text: string, form: RegExp): string {
    if (!form.test(text)) this.fault(field, `is not of the form ${form.source}`);
    return text;
  }

  date(field: string, text: string): string {
    if (!isCalendarDate(text)) this.fault(field, "is not a day, yyyy-mm-dd");
    return text;
  }

  /**
   * Writes a structured address. If the street or region is too long for its element, writes a
   * hybrid address with free lines.
   */
  address(field: string, address: PostalAddress): Content {
    const part = (name: "street" | "houseNumber" | "postcode" | "region", max: number) => {
      const text = givenText(address[name] ?? "");
      return text === "" ? "" : this.party(`${field}.${name}`, text, max);
    };
    const any = Number.POSITIVE_INFINITY;
    const [street, state] = [part("street", any), part("region", any)];
    const hybrid = hybridAddress({ street, state });
    if (hybrid === undefined) this.fault(`${field}.street`, "does not fit two address lines");
    return content({
      StrtNm: hybrid?.street || undefined,
      BldgNb: part("houseNumber", iso20022Max.houseNumber) || undefined,
      PstCd: part("postcode", iso20022Max.postcode) || undefined,
      TwnNm: this.party(`${field}.town`, address.town, iso20022Max.town),
      CtrySubDvsn: hybrid?.state || undefined,
      Ctry: this.code(`${field}.country`, address.country, /^[A-Z]{2}$/),
      AdrLine: hybrid?.lines.length ? hybrid.lines : undefined,
    });
  }

  account(field: string, account: Account): Content {
    if (account.kind === "number") {
      return { Othr: { Id: this.code(`${field}.number`, account.number, accountNumber) } };
    }
    const iban = electronicFormatIBAN(account.iban) ?? "";
    if (!isValidIBAN(iban)) this.fault(`${field}.iban`, "is not an IBAN");
    return { IBAN: iban };
  }

  /** `bicName` is the name of the BIC element, which differs between editions. */
  agent(field: string, agent: Agent, bicName: string): Content {
    const { bic, clearing } = agent;
    if (bic !== undefined && !isValidBIC(bic)) this.fault(`${field}.bic`, "is not a BIC");
    if (bic === undefined && clearing === undefined)
      this.fault(field, "has neither BIC nor number");
    const member = clearing && {
      ClrSysId: { Cd: this.code(`${field}.clearing.system`, clearing.system, /^[A-Z]{5}$/) },
      MmbId: this.code(`${field}.clearing.member`, clearing.member, /^[A-Za-z0-9]{1,35}$/),
    };
    return { FinInstnId: content({ [bicName]: bic, ClrSysMmbId: member }) };
  }
}

/** Absent parts are left out of the result. */
export function content(parts: Content): Content {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}
