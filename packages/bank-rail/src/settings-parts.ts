import { z } from "zod";

export const count = (min: number, max: number) => z.number().int().min(min).max(max);

export const text = (max: number) => z.string().min(1).max(max);

const timeSchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be hh:mm");

const daySchema = z.iso.date("must be a date, yyyy-mm-dd");

/**
 * A calendar that follows rules, or a bank's own list of days with the period that the list covers.
 */
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
  /** The bank's cut-off for this window, in the bank's time zone. */
  cut_off: timeSchema,
  /** The number of banking days from the window's day to settlement. */
  settles_after_days: count(0, 30),
  /**
   * The largest payment in this window, as decimal text in the account's currency. If absent, any
   * amount is accepted.
   */
  max: text(20).optional(),
});

export const scheduleSchema = z
  .strictObject({
    /** The bank's IANA time zone, for example `Europe/Berlin`. */
    zone: z.string().refine(isZone, "must be a time zone such as Europe/Berlin"),
    /** A day is a banking day only if it is open in all of these calendars. */
    calendars: z.array(calendarSchema).min(1),
    windows: z.array(windowSchema).min(1),
    /**
     * The file is written this many minutes before the cut-off. Later payments wait for the next
     * window. The minimum is 1, because without lead time a payment would be late as soon as it is
     * due.
     */
    lead_minutes: count(1, 720).default(15),
  })
  .refine(
    ({ windows }) => windows.every(({ cut_off }, at) => cut_off > (windows[at - 1]?.cut_off ?? "")),
    "windows must have different cut-offs, in ascending order",
  );

const folderSchema = z.string().regex(/^\/[^\0]{0,254}$/, "must be an absolute path");

/** The bank's SFTP server. Folder paths are those that the server shows to this user. */
export const sftpSchema = z.strictObject({
  host: text(253),
  port: count(1, 65_535).default(22),
  username: text(64),
  /**
   * The path of a private key in OpenSSH or PEM format, without a passphrase. The file is read when
   * the service starts.
   */
  private_key_file: text(4_096),
  /**
   * Key fingerprints in the format of `ssh-keygen -lf`. Two are needed while the bank rotates its
   * key.
   */
  host_keys: z.array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "must be SHA256:…")).min(1),
  /** The time limit of a whole session. */
  timeout_seconds: count(1, 600).default(60),
  /** The folder for files to the bank. */
  outgoing: folderSchema,
  /** The folder with the bank's files. The rail does not move or delete files in this folder. */
  incoming: folderSchema,
  /** Folders to which the bank moves processed files, if the SFTP user can read them. */
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
