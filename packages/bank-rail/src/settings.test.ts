import { SettingsError } from "@disburse/chassis/settings.ts";
import { describe, expect, it } from "vitest";
import { accountName } from "./iso20022/profile.ts";
import { readBankRails } from "./settings.ts";
import { iso20022Settings, nachaSettings } from "./test-settings.ts";

const iban = "DE89370400440532013000";

describe("the rails of banks", () => {
  it("are read with their defaults", () => {
    const [swift, ach] = readBankRails(JSON.stringify([iso20022Settings, nachaSettings]));
    expect(swift).toMatchObject({
      ...{ rail: "bank-usd", refuses_duplicates: false, status_settles: false },
      ...{ overdue_after_hours: 96, return_charges_max: "0" },
      profile: {
        name_max: 140,
        address_required: true,
        batch_booking: false,
        payments_max: 10_000,
      },
      schedule: { lead_minutes: 15 },
      sftp: { port: 22, timeout_seconds: 60, poll_seconds: 60, archives: [] },
    });
    expect(ach).toMatchObject({
      ...{ rail: "bank-ach", format: "nacha", return_window_days: 2 },
      profile: { line_end: "lf", payments_max: 10_000 },
    });
  });

  it("name their account as statements do", () => {
    const account = { iban: "DE89 3704 0044 0532 0130 00" };
    const settings = { ...iso20022Settings, profile: { ...iso20022Settings.profile, account } };
    const [rail] = readBankRails(JSON.stringify([settings]));
    expect(rail?.format === "iso20022" && accountName(rail.profile)).toBe(iban);
  });

  const iso = (changes: object) => JSON.stringify([{ ...iso20022Settings, ...changes }]);
  const ach = (changes: object) => JSON.stringify([{ ...nachaSettings, ...changes }]);
  const profile = (changes: object) =>
    iso({ profile: { ...iso20022Settings.profile, ...changes } });
  const schedule = (changes: object) =>
    iso({ schedule: { ...iso20022Settings.schedule, ...changes } });
  const sftp = (changes: object) => iso({ sftp: { ...iso20022Settings.sftp, ...changes } });
  const window = (cut_off: string, rest: object = {}) => ({
    cut_off,
    settles_after_days: 0,
    ...rest,
  });

  it.each([
    ["no JSON", "{", "must be JSON"],
    ["no list", JSON.stringify(iso20022Settings), "expected array"],
    ["a format that there is not", iso({ format: "mt101" }), "format"],
    ["a name that routes cannot have", iso({ rail: "Bank" }), "rail"],
    [
      "a name twice",
      JSON.stringify([iso20022Settings, iso20022Settings]),
      "the names of the rails must be unique",
    ],
    ["a currency of a chain", iso({ currency: "USDC" }), "currency"],
    ["a currency that there is not", iso({ currency: "XYZ" }), "currency"],
    ["no time to write a file in", schedule({ lead_minutes: 0 }), "lead_minutes"],
    ["a method of the other format", iso({ transfer_methods: ["ACH"] }), "transfer_methods"],
    ["no method", iso({ transfer_methods: [] }), "transfer_methods"],
    ["a setting that there is not", iso({ return_window_days: 2 }), "return_window_days"],
    ["a charge with too many decimals", iso({ return_charges_max: "1.001" }), "return_charges_max"],
    ["an IBAN with a wrong digit", profile({ account: { iban: `${iban.slice(0, -1)}1` } }), "iban"],
    ["a BIC that is none", profile({ agent: { bic: "CHASE" } }), "bic"],
    ["a bank without a name of any kind", profile({ agent: {} }), "agent"],
    ["a debtor without letters", profile({ debtor: { name: "…" } }), "debtor.name"],
    ["an account in two forms", profile({ account: { iban, number: "1" } }), "account"],
    ["another version", profile({ version: "pain.001.001.02" }), "version"],
    ["a zone that there is not", schedule({ zone: "America/Gotham" }), "zone"],
    ["a calendar that there is not", schedule({ calendars: ["NYSE"] }), "calendars"],
    ["no window", schedule({ windows: [] }), "windows"],
    ["windows out of order", schedule({ windows: [window("16:00"), window("10:00")] }), "order"],
    ["two windows at once", schedule({ windows: [window("16:00"), window("16:00")] }), "order"],
    ["a time that there is not", schedule({ windows: [window("24:00")] }), "hh:mm"],
    ["a limit that is no amount", schedule({ windows: [window("16:00", { max: "1,0" })] }), "max"],
    ["a fingerprint in another form", sftp({ host_keys: ["MD5:00"] }), "host_keys"],
    ["no fingerprint", sftp({ host_keys: [] }), "host_keys"],
    ["a folder that depends on the session", sftp({ incoming: "out" }), "incoming"],
    ["NACHA in another currency", ach({ currency: "INR" }), "NACHA files are in USD"],
    [
      "a routing number with a wrong check digit",
      ach({
        profile: { ...nachaSettings.profile, destination: { routing: "021000022", name: "B" } },
      }),
      "destination.routing",
    ],
  ])("are refused with %s", (_what, given, problem) => {
    expect(() => readBankRails(given)).toThrow(SettingsError);
    expect(() => readBankRails(given)).toThrow(/^settings: BANK_RAILS: /);
    expect(() => readBankRails(given)).toThrow(problem);
  });
});
