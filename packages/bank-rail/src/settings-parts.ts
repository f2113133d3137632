import { z } from "zod";

/** A whole number within bounds. */
export const count = (min: number, max: number) => z.number().int().min(min).max(max);

/** A text that is not empty. */
export const text = (max: number) => z.string().min(1).max(max);

/** `hh:mm`. */
const timeSchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be hh:mm");

const daySchema = z.iso.date("must be a day, yyyy-mm-dd");

/** A calendar by rules, or a bank's own list with the days that it is for. */
const calendarSchema = z.union([
  z.enum(["FEDERAL_RESERVE", "T2"]),
  z
    .strictObject({
      from: daySchema,
      through: daySchema,
      holidays: z.array(daySchema),
      /** Weekdays without banking, 1 is Monday. */
      weekend: z.array(count(1, 7)).max(6),
    })
    .refine(({ from, through }) => from <= through, "from must not be after through"),
]);

const windowSchema = z.strictObject({
  /** Until when the bank takes files for this window, in the zone. */
  cut_off: timeSchema,
  /** Banking days from that day to settlement. */
  settles_after_days: count(0, 30),
  /** The largest payment of the window, as decimal text of the currency; without one any. */
  max: text(20).optional(),
});

/** When the bank takes files. */
export const scheduleSchema = z
  .strictObject({
    /** The bank's zone, by its IANA name. */
    zone: z.string().refine(isZone, "must be the name of a zone"),
    /** All of them have to be open. */
    calendars: z.array(calendarSchema).min(1),
    windows: z.array(windowSchema).min(1),
    /**
     * A file is written so long before the cut-off; what comes later waits for the next window.
     * Without any time between the two a payment would be too late when it is due.
     */
    lead_minutes: count(1, 720).default(15),
  })
  .refine(
    ({ windows }) => windows.every(({ cut_off }, at) => cut_off > (windows[at - 1]?.cut_off ?? "")),
    "windows must be in the order of their cut-offs, which differ",
  );

const folderSchema = z.string().regex(/^\/[^\0]{0,254}$/, "must be an absolute path");

/** The bank's SFTP server, and its folders as their user sees them. */
export const sftpSchema = z.strictObject({
  host: text(253),
  port: count(1, 65_535).default(22),
  username: text(64),
  /** In OpenSSH's or PEM form, without a passphrase; read when the service starts. */
  private_key_file: text(4_096),
  /** Fingerprints as `ssh-keygen -lf` prints them; two while the bank rotates its key. */
  host_keys: z.array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "must be SHA256:…")).min(1),
  /** Of a session as a whole. */
  timeout_seconds: count(1, 600).default(60),
  /** Where our files go. */
  outgoing: folderSchema,
  /** Where the bank's files come. Nothing in it is moved or deleted. */
  incoming: folderSchema,
  /** Where the bank moves what it took, as far as it lets us see. */
  archives: z.array(folderSchema).default([]),
  /** How often the incoming folder is looked at. */
  poll_seconds: count(1, 3_600).default(60),
});

/** Settings of a bank's SFTP server. */
export type BankSftpSettings = z.output<typeof sftpSchema>;

/** Settings of a bank's schedule. */
export type BankScheduleSettings = z.output<typeof scheduleSchema>;

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
