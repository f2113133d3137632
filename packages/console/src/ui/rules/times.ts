const dateTime = new Intl.DateTimeFormat("en-GB", {
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** Formats a time in the person's time zone. */
export function momentText(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : dateTime.format(at);
}

const utcDay = new Intl.DateTimeFormat("en-GB", {
  day: "2-digit",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Formats a UTC day. */
export const dayText = (iso: string): string => utcDay.format(new Date(iso));

/** Formats a time as `2026-11-20 11:26:00 UTC`. */
export const utcText = (iso: string): string => iso.replace(/^(.{10})T(.{8}).*Z$/, "$1 $2 UTC");

const units: readonly (readonly [string, number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** Formats seconds in the two largest units: `2 h 5 min`. */
export function spanText(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}

/** Formats a countdown as minutes and seconds: `4:59`. */
export function countDownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Returns when a day, `yyyy-mm-dd`, begins in the person's time zone. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00`);

/** Returns when the day after begins, because the end of a list's period is exclusive. */
export function endOf(day: string): Date {
  const at = startOf(day);
  at.setDate(at.getDate() + 1);
  return at;
}

const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");

export const periods = ["today", "week", "month", "lastMonth"] as const;

/** Returns the first and the last day of a period in the person's time zone. */
export function daysOf(period: (typeof periods)[number], now: Date): readonly [string, string] {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const [first, last] = {
    today: [now, now],
    week: [new Date(year, month, day - 6), now],
    month: [new Date(year, month, 1), now],
    lastMonth: [new Date(year, month - 1, 1), new Date(year, month, 0)],
  }[period] as [Date, Date];
  return [dayOf(first), dayOf(last)];
}
