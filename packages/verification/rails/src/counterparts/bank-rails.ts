import { isBankingDay } from "@disburse/bank-files/calendar/bank-calendar.ts";

/** Bank accounts, by the names of their rails. */
export const bankNames = ["bank-usd", "bank-ach", "bank-eur", "bank-large"] as const;
export type BankName = (typeof bankNames)[number];

const minutesOfDay = 1_440;
const twoDigits = (value: number) => String(value).padStart(2, "0");
const timeOf = (minute: number) =>
  `${twoDigits(Math.floor(minute / 60) % 24)}:${twoDigits(minute % 60)}`;

/** A window closes every minute, so that partly filled files are sent soon too. */
const everyMinute = {
  zone: "UTC",
  lead_minutes: 1,
  windows: Array.from({ length: minutesOfDay }, (_each, minute) => ({
    cut_off: timeOf(minute),
    settles_after_days: 0,
  })),
};
/** Returns a window that closes in twelve hours, so that a file is sent only when it is full. */
const farWindow = () => {
  const now = new Date();
  const minute = (now.getUTCHours() + 12) * 60 + now.getUTCMinutes();
  return { ...everyMinute, windows: [{ cut_off: timeOf(minute), settles_after_days: 0 }] };
};
/** UTC, then every other whole hour from it: `Etc/GMT-14` is fourteen hours ahead. */
const zones = ["UTC", ...Array.from({ length: 27 }, (_each, at) => `Etc/GMT${signed(12 - at)}`)];

function signed(hours: number): string {
  return hours < 0 ? String(hours) : `+${hours}`;
}

const runMaxMs = 3_600_000;
/**
 * A time zone in which a run that begins now stays within banking days of the Federal Reserve, whose
 * calendar ACH files need. `undefined` if it is the weekend or a holiday everywhere.
 */
export const achZone = zones.find((timeZone) => {
  const { format } = new Intl.DateTimeFormat("en-CA", { timeZone });
  const days = [0, runMaxMs].map((ms) => format(Date.now() + ms));
  return days.every((day) => isBankingDay("FEDERAL_RESERVE", day) === true);
});

/** Treats every day as a banking day. */
const calendars = [{ from: "2026-01-01", through: "2099-12-31", holidays: [], weekend: [] }];
const pain = { format: "iso20022", return_charges_max: "25.00" };
const profile = {
  version: "pain.001.001.09",
  characters: "swift",
  debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
  initiating_party: { name: "Disburse Inc", id: "DISBURSE01" },
};

/** The banks' differing settings in `BANK_RAILS` format, without servers. */
export const bankRails = {
  "bank-usd": {
    ...pain,
    currency: "USD",
    transfer_methods: ["SWIFT"],
    schedule: { ...everyMinute, calendars },
    profile: {
      ...profile,
      charge_bearer: "SHAR",
      service_level: "URGP",
      account: { number: "000123456789" },
      agent: { bic: "CHASUS33" },
    },
  },
  "bank-ach": {
    format: "nacha",
    currency: "USD",
    transfer_methods: ["ACH"],
    return_window_days: 0,
    schedule: { ...everyMinute, zone: achZone ?? "UTC", calendars: ["FEDERAL_RESERVE"] },
    statement_account: "ACH-SETTLEMENT",
    profile: {
      destination: { routing: "231380104", name: "Federal Reserve Bank" },
      origin: { id: "121042882", name: "Disburse Inc" },
      company: { name: "Disburse Inc", id: "1234567890", description: "PAYOUT" },
      odfi: "12104288",
    },
  },
  "bank-eur": {
    ...pain,
    currency: "EUR",
    transfer_methods: ["SEPA"],
    schedule: { ...everyMinute, calendars },
    profile: {
      ...profile,
      charge_bearer: "SLEV",
      service_level: "SEPA",
      name_max: 70,
      address_required: false,
      account: { iban: "DE89370400440532013000" },
      agent: { bic: "DEUTDEFF" },
    },
  },
  "bank-large": {
    ...pain,
    currency: "USD",
    transfer_methods: ["LOCAL"],
    schedule: { ...farWindow(), calendars },
    profile: {
      ...profile,
      charge_bearer: "SHAR",
      service_level: "NURG",
      account: { number: "000987654321" },
      agent: { bic: "CHASUS33" },
    },
  },
} as const;
