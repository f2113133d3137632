import { z } from "zod";

export const count = (min: number, max: number) => z.number().int().min(min).max(max);

export const text = (max: number) => z.string().min(1).max(max);

const timeSchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be hh:mm");

const daySchema = z.iso.date("must be a day, yyyy-mm-dd");

/** A calendar by rules, or a bank's own list of days with the period that it covers. */
const calendarSchema = z.union([
  z.enum(["FEDERAL_RESERVE", "T2"]),
  z
    .strictObject({
      from: daySchema,
      through: daySchema,
      holidays: z.array(daySchema),
      /** Non-banking weekdays; 1 is Monday. */
      weekend: z.array(count(1, 7)).max(6),
    })
    .refine(({ from, through }) => from <= through, "from must not be after through"),
]);

const windowSchema = z.strictObject({
  /** The bank's cut-off for this window, in its zone. */
  cut_off: timeSchema,
  /** Banking days from the window's day to settlement. */
  settles_after_days: count(0, 30),
  /** The window's largest payment, as decimal text of the currency; absent: any amount. */
  max: text(20).optional(),
});

export const scheduleSchema = z
  .strictObject({
    /** The bank's IANA time zone, for example `Europe/Berlin`. */
    zone: z.string().refine(isZone, "must be the name of a zone"),
    /** A banking day must be open in all of them. */
    calendars: z.array(calendarSchema).min(1),
    windows: z.array(windowSchema).min(1),
    /**
     * A file is written this long before the cut-off; later payments wait for the next window. With
     * no lead time, a payment would be late as soon as it is due.
     */
    lead_minutes: count(1, 720).default(15),
  })
  .refine(
    ({ windows }) => windows.every(({ cut_off }, at) => cut_off > (windows[at - 1]?.cut_off ?? "")),
    "windows must be in the order of their cut-offs, which differ",
  );

const folderSchema = z.string().regex(/^\/[^\0]{0,254}$/, "must be an absolute path");

/** The bank's SFTP server, with folders as its user sees them. */
export const sftpSchema = z.strictObject({
  host: text(253),
  port: count(1, 65_535).default(22),
  username: text(64),
  /** In OpenSSH or PEM format, without a passphrase. Read when the service starts. */
  private_key_file: text(4_096),
  /** Fingerprints as `ssh-keygen -lf` prints them; two while the bank rotates its key. */
  host_keys: z.array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "must be SHA256:…")).min(1),
  /** The time limit of a whole session. */
  timeout_seconds: count(1, 600).default(60),
  /** The folder for files to the bank. */
  outgoing: folderSchema,
  /** The folder with the bank's files. The rail moves and deletes nothing in it. */
  incoming: folderSchema,
  /** Folders that the bank moves processed files to, if it lets us see them. */
  archives: z.array(folderSchema).default([]),
  /** The interval between polls of the incoming folder. */
  poll_seconds: count(1, 3_600).default(60),
});

export type BankSftpSettings = z.output<typeof sftpSchema>;

export type BankScheduleSettings = z.output<typeof scheduleSchema>;

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
